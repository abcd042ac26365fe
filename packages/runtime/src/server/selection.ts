import { type CommandData, fitsFilter, type JournaledEvent } from '@weave/protocol'

/** What is sent of the events of a moment. */
export type Selection = <E extends { readonly event: JournaledEvent }>(batch: readonly E[]) => readonly E[]

/** A client that wants little still learns how far the journal is. */
const newestEveryMs = 1_000

/** Undefined: everything is wanted. */
export function createSelection(
  { types, filter }: CommandData<'events.select'>,
  monotonic: () => number,
): Selection | undefined {
  if (!types && !filter) return undefined
  const always = new Set<string>(types)
  const fits = filter ? fitsFilter(filter) : () => false
  let saidAt = monotonic()
  return batch => {
    const chosen = batch.filter(({ event }) => always.has(event.type) || fits(event))
    const newest = batch.at(-1)
    const now = monotonic()
    if (newest === undefined || now - saidAt < newestEveryMs) return chosen
    saidAt = now
    return chosen.at(-1) === newest ? chosen : [...chosen, newest]
  }
}
