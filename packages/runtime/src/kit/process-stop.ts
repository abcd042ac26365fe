import type { Clock } from './clock.ts'
import { signalGroup } from './process-group.ts'

export interface Stopper {
  /** SIGTERM to the group now, SIGKILL after the grace unless it has ended by then. Only the first call counts. */
  stop(reason: unknown): void
  /** The reason of the first call, if there was one before the end. */
  readonly stopped: { readonly reason: unknown } | undefined
}

export interface StopperOptions {
  readonly leader: number | undefined
  readonly graceMs: number
  readonly clock: Clock
  /** Called right before each signal, while what the leader started can still be found through it. Must not throw. */
  readonly beforeSignal?: (() => void) | undefined
  /** Aborted once the leader has ended: its id means nothing any more. */
  readonly ended: AbortSignal
}

export function createStopper({ leader, graceMs, clock, beforeSignal, ended }: StopperOptions): Stopper {
  let stopped: Stopper['stopped']

  function send(signal: NodeJS.Signals): void {
    if (leader === undefined) return
    beforeSignal?.()
    signalGroup(leader, signal)
  }

  function stop(reason: unknown): void {
    if (stopped || ended.aborted) return
    stopped = { reason }
    send('SIGTERM')
    clock.sleep(graceMs, ended).then(
      () => send('SIGKILL'),
      () => undefined,
    )
  }

  return {
    stop,
    get stopped() {
      return stopped
    },
  }
}
