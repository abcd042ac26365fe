import type { Clock } from '../kit/index.ts'
import type { HarnessEvent } from './harness.ts'

/** An open tool call may be silent for so long, whatever the idle timeout. */
const longestTool = 30 * 60_000
/** To the first event: starting a program is not idleness. */
const longestLaunch = 60_000

export interface Silence {
  readonly silentMs: number
  /** Nothing was ever heard. */
  readonly isLaunch: boolean
}

/**
 * Calls `onIdle` once when the agent is silent for longer than it may: a minute before its first event, then `timeoutMs`, 30
 * minutes while a tool call is open. The time for which the provider makes it wait does not count.
 */
export function watchIdle(clock: Clock, timeoutMs: number, onIdle: (silence: Silence) => void) {
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
    /** To be called for every event of the agent. */
    heard(event: HarnessEvent): void {
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
