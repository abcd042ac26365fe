import type { JournaledEvent } from '@weave/protocol'
import type { Origin } from './line.ts'

/** An event as it is written down; its origin is not sent to clients. */
export type RecordedEvent = JournaledEvent & { readonly origin?: Origin }

/** An event with the text in which it travels, made once for all who send it on. */
export interface Entry {
  readonly event: RecordedEvent
  readonly text: string
}

export type Listener = (entry: Entry) => void

/**
 * Passes entries to listeners, one after another and in order, also when a listener causes more entries while it
 * listens. A listener that throws does not keep the others from hearing.
 */
export function createNotifier(onListenerError: (error: unknown) => void = () => undefined) {
  const listeners = new Set<Listener>()
  let queue: Entry[] = []
  let notifying = false

  const notifyAll = (entry: Entry): void => {
    for (const listener of listeners) {
      try {
        listener(entry)
      } catch (error) {
        onListenerError(error)
      }
    }
  }

  return {
    notify(entries: readonly Entry[]): void {
      for (const entry of entries) queue.push(entry)
      if (notifying) return
      notifying = true
      // Also those that are put in meanwhile.
      for (const entry of queue) notifyAll(entry)
      queue = []
      notifying = false
    },
    /** One function subscribed twice hears twice; each subscription ends by its own returned function. */
    subscribe(listener: Listener): () => void {
      const own: Listener = entry => listener(entry)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}
