import type { JournaledEvent } from '@weave/protocol'
import type { RecordedEvent } from '../journal/index.ts'

/** As much of an event as a step needs. */
export type SaidOrDone = Needed<'assistant.action'> | Needed<'tool.result'>
type Needed<T extends 'assistant.action' | 'tool.result'> = Pick<JournaledEvent<T>, 'type' | 'data' | 'seq'>

/** Something that an agent said or did, as far as two runs of the same can agree in it. */
export interface Step {
  readonly kind: 'say' | 'tool' | 'result'
  readonly text: string
}

/**
 * What an event means in a conversation: what was said, which tool was called with what, whether it answered well. Workspaces
 * have one name, and ids and times are not in it. Undefined for every other event. Pure.
 */
export function stepOf(
  { type, data }: RecordedEvent | SaidOrDone,
  workspaces: readonly string[],
): Step | undefined {
  if (type === 'tool.result')
    return { kind: 'result', text: `${data.toolName} ${data.isError ? 'error' : 'ok'}` }
  if (type !== 'assistant.action' || data.action === 'thinking') return undefined
  if (data.action === 'message') return { kind: 'say', text: plain(data.content, workspaces) }
  const input = data.toolInput === undefined ? '' : JSON.stringify(data.toolInput)
  return { kind: 'tool', text: `${data.toolName ?? data.content} ${plain(input, workspaces)}` }
}

function plain(text: string, workspaces: readonly string[]): string {
  let shown = text
  for (const path of workspaces) if (shown.includes(path)) shown = shown.replaceAll(path, '<workspace>')
  return shown
}

/** 53 bits of a step, enough to tell millions apart. */
export function digestOf({ kind, text }: Step): number {
  let [one, other] = [0xdeadbeef ^ kind.length, 0x41c6ce57 ^ kind.charCodeAt(0)]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 2654435761)
    other = Math.imul(other ^ code, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return 4294967296 * (2097151 & other) + (one >>> 0)
}
