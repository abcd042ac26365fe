import type { AttachedSentinel } from '../hank/index.ts'
import { fieldOf, textOf } from '../kit/index.ts'

/** An event as a sentinel sees it. Every journaled event is one. */
export interface ObservedEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: object
  readonly id?: string
  readonly seq?: number
  /** Present on what follows from the work of a sentinel, marked where it is emitted. */
  readonly origin?: 'sentinel'
}

/**
 * Nothing that follows from a sentinel wakes one: it would wake itself for ever. The types are told apart too, for journals
 * that were written before events had an origin.
 */
export function followsFromSentinel({ origin, type }: ObservedEvent): boolean {
  return origin === 'sentinel' || type.startsWith('sentinel.')
}

/** The codon that is watched, as templates see it. */
export interface ObservedCodon {
  /** Runtime id. */
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly startTime: string
}

/** What happened from the start of a codon to its end. */
export interface CodonRun {
  readonly codon: ObservedCodon
  readonly events: readonly ObservedEvent[]
}

/** Cuts the events of an execution into the runs of its codons; a codon that was tried twice has two. In order. */
export async function* codonRuns(events: AsyncIterable<ObservedEvent>): AsyncGenerator<CodonRun> {
  let codon: ObservedCodon | undefined
  let seen: ObservedEvent[] = []
  for await (const event of events) {
    const started = startOf(event)
    if (started && codon) yield { codon, events: seen }
    if (started) {
      codon = started
      seen = []
    }
    if (!codon) continue
    seen.push(event)
    if (event.type !== 'codon.completed' || textAt(event.data, 'codonId') !== codon.id) continue
    yield { codon, events: seen }
    codon = undefined
  }
  if (codon) yield { codon, events: seen }
}

/** The codon that begins with this event. */
export function startOf({ type, data }: ObservedEvent): ObservedCodon | undefined {
  if (type !== 'state.transition' || textAt(data, 'transitionType') !== 'CodonStarted') return undefined
  const facts = fieldOf(fieldOf(data, 'transition'), 'data')
  const [id, name, startTime] = ['codonId', 'codonName', 'startTime'].map(key => textAt(facts, key))
  return id === undefined || name === undefined || startTime === undefined
    ? undefined
    : { id, name, startTime }
}

function textAt(data: unknown, key: string): string | undefined {
  return textOf(fieldOf(data, key))
}

/** The events of sentinels, by what a person may turn off. */
const kinds = {
  'sentinel.loaded': 'lifecycle',
  'sentinel.unloaded': 'lifecycle',
  'sentinel.error': 'errors',
  'sentinel.output': 'outputs',
  'sentinel.triggered': 'triggers',
} as const

export type SentinelEventType = keyof typeof kinds

/** Whether clients hear of an event of this sentinel. The journal always does. The codon's settings win, one by one. */
export function isReported(
  type: SentinelEventType,
  { config, settings }: Pick<AttachedSentinel, 'config' | 'settings'>,
): boolean {
  const kind = kinds[type]
  return settings.reportToWebsocket?.[kind] ?? config.reportToWebsocket[kind]
}
