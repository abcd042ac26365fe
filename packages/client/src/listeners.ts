/** A set of listeners. One that throws does not keep the others from being told; its error goes to `onError`. */
export interface Listeners<Value> {
  /** Returns a function that takes the listener out again. The same function may be added twice. */
  readonly add: (listener: (value: Value) => void) => () => void
  readonly tell: (value: Value) => void
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
    tell(value) {
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
