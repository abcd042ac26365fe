import type { ReportCheckpoint, ReportData, ReportFile, ReportOutputs } from '@weave/protocol'
import { element } from '../parts/element.ts'
import { counted } from './header.ts'
import { leftOutNote, section, timeText } from './section.ts'

/** The checkpoints, each with the files that are different from the one before. A diff is drawn when it is opened. */
export function files({ checkpoints, runs }: ReportData): HTMLElement {
  const { items, leftOut } = checkpoints
  const aside = items.length > 0 ? 'Each against the checkpoint before it.' : 'There are no checkpoints.'
  const list = items.map(item => checkpointPart(item, runs.length > 1))
  return section({ id: 'files', title: 'Files by checkpoint', aside }, [
    leftOutNote(leftOut, 'checkpoints'),
    element('div', { class: 'checkpoints' }, list),
  ])
}

/** What was copied to the output directory, by codon. What an undone codon copied stays there, so it is listed, too. */
export function outputs({ outputs: found, runs }: ReportData): HTMLElement | undefined {
  const { items, leftOut } = found
  if (items.length === 0) return undefined
  return section({ id: 'outputs', title: 'Outputs' }, [
    leftOutNote(leftOut, 'copies'),
    element(
      'ol',
      { class: 'outputs' },
      items.map(item => outputPart(item, runs.length > 1)),
    ),
  ])
}

function outputPart(copy: ReportOutputs, withRun: boolean): HTMLElement {
  const { codonId, run, time, directory, files: list, filesLeftOut, isUndone } = copy
  const more = filesLeftOut > 0 ? [`and ${counted(filesLeftOut, 'more file')}`] : []
  return element('li', {}, [
    element('p', { class: 'quiet' }, [
      [
        ...(withRun ? [`run ${run}`] : []),
        codonId,
        ...(isUndone ? ['rolled back; the files stay'] : []),
        timeText(time),
        directory,
      ].join(' · '),
    ]),
    element('p', { class: 'said' }, [[...list, ...more].join('\n')]),
  ])
}

function checkpointPart(checkpoint: ReportCheckpoint, withRun: boolean): HTMLElement {
  const { name, codonId, type, sha, timestamp, run, isUndone, note } = checkpoint
  const head = element('summary', { class: isUndone && 'undone' }, [
    element('b', {}, [name]),
    name === codonId && element('span', { class: 'badge' }, [type]),
    isUndone && element('span', { class: 'badge' }, ['rolled back']),
    element('span', { class: 'change' }, [note ?? changeText(checkpoint)]),
    element('span', { class: 'quiet meta' }, [
      [...(withRun ? [`run ${run}`] : []), timeText(timestamp), sha.slice(0, 8)].join(' · '),
    ]),
  ])
  return element('details', { class: 'checkpoint' }, [head, ...fileParts(checkpoint)])
}

function changeText({ files: list, filesLeftOut }: ReportCheckpoint): string {
  if (list.length === 0) return 'no file changed'
  const total = (key: 'additions' | 'deletions') => list.reduce((sum, file) => sum + (file[key] ?? 0), 0)
  return `${counted(list.length + filesLeftOut, 'file')}, +${total('additions')} −${total('deletions')}`
}

function fileParts({ files: list, filesLeftOut }: ReportCheckpoint): readonly HTMLElement[] {
  const more = element('p', { class: 'note' }, [`${counted(filesLeftOut, 'more file')} changed.`])
  return [...list.map(filePart), ...(filesLeftOut > 0 ? [more] : [])]
}

function filePart(file: ReportFile): HTMLElement {
  const { path, status, additions, deletions } = file
  const lines = additions === undefined ? [] : [`+${additions} −${deletions ?? 0}`]
  const part = element('details', { class: 'file' }, [
    element('summary', {}, [
      element('span', { class: 'path' }, [path]),
      element('span', { class: 'quiet' }, [[status, ...lines].join(' · ')]),
    ]),
  ])
  part.addEventListener('toggle', () => part.append(diffView(file)), { once: true })
  return part
}

/** A unified diff, line by line. */
function diffView({ diff = '', note }: ReportFile): HTMLElement {
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
