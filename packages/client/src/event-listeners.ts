import type { EventType, ServerEvent } from '@weave/protocol'
import { createListeners, type Listeners } from './listeners.ts'

/** Listeners of one event type and listeners of all of them. */
export interface EventListeners {
  readonly on: <T extends EventType>(type: T, listener: (event: ServerEvent<T>) => void) => () => void
  readonly onAny: (listener: (event: ServerEvent) => void) => () => void
  /** Those of the type first, then those of all. */
  readonly tell: (event: ServerEvent) => void
}

export function createEventListeners(onError: (error: unknown, event: ServerEvent) => void): EventListeners {
  const byType = new Map<EventType, Listeners<ServerEvent>>()
  const ofAll = createListeners(onError)

  const ofType = (type: EventType): Listeners<ServerEvent> => {
    const known = byType.get(type)
    if (known) return known
    const created = createListeners(onError)
    byType.set(type, created)
    return created
  }

  return {
    // Only events of the type are told to this set, so the listener gets what it takes.
    on: (type, listener) => ofType(type).add(listener as (event: ServerEvent) => void),
    onAny: ofAll.add,
    tell(event) {
      byType.get(event.type)?.tell(event)
      ofAll.tell(event)
    },
  }
}
