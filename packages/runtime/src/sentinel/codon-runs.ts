import type { ObservedCodon, ObservedEvent } from './observed.ts'

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

function startOf({ type, data }: ObservedEvent): ObservedCodon | undefined {
  if (type !== 'state.transition' || textAt(data, 'transitionType') !== 'CodonStarted') return undefined
  const transition: unknown = Reflect.get(data, 'transition')
  const facts: unknown =
    typeof transition === 'object' && transition !== null ? Reflect.get(transition, 'data') : undefined
  if (typeof facts !== 'object' || facts === null) return undefined
  const [id, name, startTime] = ['codonId', 'codonName', 'startTime'].map(key => textAt(facts, key))
  return id === undefined || name === undefined || startTime === undefined
    ? undefined
    : { id, name, startTime }
}

function textAt(data: object, key: string): string | undefined {
  const value: unknown = Object.hasOwn(data, key) ? Reflect.get(data, key) : undefined
  return typeof value === 'string' ? value : undefined
}
