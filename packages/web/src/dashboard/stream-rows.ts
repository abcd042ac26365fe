import { codonOf, describeRecorded, isFailure, type WindowEvent } from 'weave-client'
import { element } from '../parts/element.ts'
import { grouped } from './grouped.ts'
import { momentText } from './moments.ts'

export interface RowLook {
  readonly row: number
  readonly seq: number
  readonly event: WindowEvent | undefined
  readonly isChosen: boolean
}

/** One event as one line. A row whose event is under way shows its number. */
export function streamRow({ row, seq, event, isChosen }: RowLook): HTMLElement {
  const attributes = {
    class: 'event',
    role: 'row',
    'aria-rowindex': row + 1,
    'aria-selected': undefined,
    'data-seq': seq,
    'data-kind': event ? kindOf(event) : 'pending',
    'data-failed': event ? isFailure(event) : false,
    'data-chosen': isChosen,
    tabindex: isChosen ? 0 : -1,
  }
  const cell = (name: string, text: string): HTMLElement =>
    element('span', { class: name, role: 'cell' }, [text])
  return element('div', attributes, [
    cell('event-seq', grouped(seq)),
    cell('event-time', event ? momentText(event.timestamp, 'time') : ''),
    cell('event-kind', event ? kindWord(event) : ''),
    cell('event-codon', event ? (codonOf(event) ?? '') : ''),
    cell('event-line', event ? lineOf(event) : ''),
  ])
}

export function lineOf(event: WindowEvent): string {
  return describeRecorded(event, 400)
}

type Kind =
  | 'agent'
  | 'thinking'
  | 'tool'
  | 'result'
  | 'state'
  | 'trouble'
  | 'watch'
  | 'person'
  | 'file'
  | 'other'

/** What a row is about, for its colour; the word beside it says the same. */
function kindOf(event: WindowEvent): Kind {
  const { type } = event
  const { action } = Object(event.data) as { readonly action?: unknown }
  if (type === 'assistant.action')
    return action === 'tool_use' ? 'tool' : action === 'thinking' ? 'thinking' : 'agent'
  if (type === 'tool.result') return 'result'
  if (type === 'error' || type === 'budget.exceeded') return 'trouble'
  if (type.startsWith('sentinel.') || type.startsWith('rule.')) return 'watch'
  if (type.startsWith('gate.') || type.startsWith('rollback.')) return 'person'
  if (type.startsWith('file')) return 'file'
  if (type.startsWith('codon.') || type.startsWith('run.') || type.startsWith('loop.')) return 'state'
  return 'other'
}

const words: Readonly<Record<string, string>> = {
  'assistant.action': 'agent',
  'tool.result': 'result',
  'state.transition': 'state',
  'state.snapshot': 'snapshot',
  'token.usage': 'tokens',
  'file.updated': 'file',
  'filetree.updated': 'files',
  'rig.output': 'rig',
  'rig.operation': 'rig',
  'server.idle': 'idle',
  'preflight.result': 'preflight',
  'loop.iteration.completed': 'loop',
  'outputs.copied': 'outputs',
  'archive.completed': 'archive',
}

function kindWord(event: WindowEvent): string {
  const kind = kindOf(event)
  if (kind === 'tool' || kind === 'thinking') return kind
  return words[event.type] ?? event.type.split('.')[0] ?? event.type
}
