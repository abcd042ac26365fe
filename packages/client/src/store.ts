import type { ServerEvent } from '@weave/protocol'
import { createListeners } from './listeners.ts'
import { soon, throwLater } from './platform.ts'
import { reduceView, withConnection } from './view.ts'
import { emptyView, type View } from './view-model.ts'
import type { WeaveClient } from './weave-client.ts'

/** A view that stays up to date. `subscribe` and `getSnapshot` are what React's `useSyncExternalStore` takes. */
export interface ViewStore {
  /** The newest picture; the same object until something changed. */
  readonly getSnapshot: () => View
  /** Called once after any number of changes, when the scheduler runs. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
  /** Adds an event by hand: for pictures that are made from a journal. */
  readonly apply: (event: ServerEvent) => void
  /** Stops following the client. The client stays open. */
  readonly close: () => void
}

export interface StoreOptions {
  /** Events and status changes of this client flow in. It should be freshly made, so that none is missed. */
  readonly client?: Pick<WeaveClient, 'status' | 'onAny' | 'onStatus'>
  /** Runs a function once, a little later: the end of the tick, or the next frame. Default: the end of the tick. */
  readonly schedule?: (run: () => void) => void
  /** Called with what a subscriber threw. Must not throw. Default: thrown again later, outside of the store. */
  readonly onListenerError?: (error: unknown) => void
}

export function createStore({
  client,
  schedule = soon,
  onListenerError = throwLater,
}: StoreOptions = {}): ViewStore {
  const listeners = createListeners<void>(onListenerError)
  let view = client ? withConnection(emptyView, client.status) : emptyView
  let scheduled = false

  const set = (next: View): void => {
    if (next === view) return
    view = next
    if (scheduled) return
    scheduled = true
    schedule(() => {
      scheduled = false
      listeners.emit()
    })
  }
  const apply = (event: ServerEvent): void => set(reduceView(view, event))
  const stops = [client?.onAny(apply), client?.onStatus(status => set(withConnection(view, status)))]

  return {
    getSnapshot: () => view,
    subscribe: listeners.add,
    apply,
    close() {
      for (const stop of stops) stop?.()
    },
  }
}
