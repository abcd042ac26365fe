import type { JournaledEvent } from '@weave/protocol'
import type { History, StoredEvent } from '../journal/index.ts'
import { typeOf } from './event-list.ts'

/** Whether an event stays in the journal alone: what a person turned off for a sentinel is sent to nobody. Must not throw. */
export type Hides = (event: JournaledEvent) => boolean

/** Only these can be hidden, so only these are looked into. */
const hideable = 'sentinel.'

/** The events that clients may see. */
export async function shown(
  history: History,
  stored: readonly StoredEvent[],
  hides: Hides | undefined,
): Promise<readonly StoredEvent[]> {
  if (!hides) return stored
  const seen: StoredEvent[] = []
  for (const one of stored) {
    const event = typeOf(one).startsWith(hideable) ? await history.event(one) : undefined
    if (!event || !hides(event)) seen.push(one)
  }
  return seen
}
