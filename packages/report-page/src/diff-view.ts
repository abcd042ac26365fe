import type { ReportFile } from '@weave/protocol'
import { element } from './element.ts'

/** A unified diff, line by line. */
export function diffView({ diff = '', note }: ReportFile): HTMLElement {
  const lines = diff === '' ? [] : diff.split('\n')
  const rows = lines.map(line => element('span', { 'data-line': kindOf(line) }, [`${line}\n`]))
  return element('div', { class: 'diff' }, [
    rows.length > 0 && element('pre', {}, [element('code', {}, rows)]),
    note !== undefined && element('p', { class: 'note' }, [note]),
  ])
}

function kindOf(line: string): string {
  if (line.startsWith('@@')) return 'place'
  if (line.startsWith('+')) return 'added'
  if (line.startsWith('-')) return 'removed'
  return line.startsWith('\\') ? 'place' : 'same'
}
