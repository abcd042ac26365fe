import type { Clock } from '../kit/index.ts'
import type { HarnessEvent } from './harness.ts'

/** An open tool call may be silent for so long, whatever the idle timeout. */
const longestTool = 30 * 60_000
/** An agent may take so long to its first event, whatever the idle timeout: starting a program is not idleness. */
const longestLaunch = 60_000

export interface IdleWatch {
  /** Call for every event of the agent. */
  heard(event: HarnessEvent): void
  close(): void
}

export interface Silence {
  readonly silentMs: number
  /** Nothing was ever heard. */
  readonly isLaunch: boolean
}

/**
 * Calls `onIdle` once when the agent is silent for longer than it may: a minute before its first event, then `timeoutMs`
 * between two events while no tool call is open, 30 minutes while one is. The time for which the provider makes it wait
 * does not count. Measures by the monotonic clock.
 */
export function watchIdle(clock: Clock, timeoutMs: number, onIdle: (silence: Silence) => void): IdleWatch {
  const openTools = new Set<string>()
  let isLaunch = true
  /** In the future while the agent waits for the provider. */
  let silentSince = clock.monotonic()
  const limit = () => {
    if (isLaunch) return longestLaunch
    return openTools.size > 0 ? Math.max(longestTool, timeoutMs) : timeoutMs
  }
  const stop = clock.every(Math.max(10, Math.min(1_000, timeoutMs / 4)), () => {
    const silentMs = clock.monotonic() - silentSince
    if (silentMs < limit()) return
    stop()
    onIdle({ silentMs, isLaunch })
  })
  return {
    heard(event) {
      const now = clock.monotonic()
      isLaunch = false
      if (event.type === 'waiting') silentSince = now + event.delayMs
      else silentSince = event.type === 'alive' ? Math.max(silentSince, now) : now
      if (event.type === 'tool-call') openTools.add(event.id)
      if (event.type === 'tool-result') openTools.delete(event.id)
    },
    close: stop,
  }
}
