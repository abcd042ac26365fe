import type { EventType, ServerEvent } from '@weave/protocol'
/** A set of listeners. One that throws does not keep the others from being called; its error goes to `onError`. */
export interface Listeners<Value> {
  /** Returns a function that takes the listener out again. The same function may be added twice. */
  readonly add: (listener: (value: Value) => void) => () => void
  readonly emit: (value: Value) => void
}

export function createListeners<Value>(onError: (error: unknown, value: Value) => void): Listeners<Value> {
  // Replaced, never changed: a listener that adds or removes one does not disturb the round that is under way.
  let entries: readonly { readonly listener: (value: Value) => void }[] = []
  return {
    add(listener) {
      const entry = { listener }
      entries = [...entries, entry]
      return () => {
        entries = entries.filter(other => other !== entry)
      }
    },
    emit(value) {
      for (const { listener } of entries) {
        try {
          listener(value)
        } catch (error) {
          onError(error, value)
        }
      }
    },
  }
}

/** Listeners of one event type and listeners of all of them. */
export interface EventListeners {
  readonly on: <T extends EventType>(type: T, listener: (event: ServerEvent<T>) => void) => () => void
  readonly onAny: (listener: (event: ServerEvent) => void) => () => void
  /** Those of the type first, then those of all. */
  readonly emit: (event: ServerEvent) => void
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
    // This set gets only events of the type, so the listener gets what it takes.
    on: (type, listener) => ofType(type).add(listener as (event: ServerEvent) => void),
    onAny: ofAll.add,
    emit(event) {
      byType.get(event.type)?.emit(event)
      ofAll.emit(event)
    },
  }
}
