import type { Clock } from '../kit/index.ts'
import type { HarnessEvent } from './harness-event.ts'

/** An open tool call may be silent for so long, whatever the idle timeout. */
const longestTool = 30 * 60_000

export interface IdleWatch {
  /** Call for every event of the agent. */
  heard(event: HarnessEvent): void
  close(): void
}

/**
 * Calls `onIdle` once when the agent is silent for longer than it may: `timeoutMs` between two events while no tool call
 * is open, 30 minutes while one is. Measures by the monotonic clock.
 */
export function watchIdle(clock: Clock, timeoutMs: number, onIdle: (silentMs: number) => void): IdleWatch {
  const openTools = new Set<string>()
  let lastHeard = clock.monotonic()
  const stop = clock.every(Math.max(10, Math.min(1_000, timeoutMs / 4)), () => {
    const silent = clock.monotonic() - lastHeard
    if (silent < (openTools.size > 0 ? Math.max(longestTool, timeoutMs) : timeoutMs)) return
    stop()
    onIdle(silent)
  })
  return {
    heard(event) {
      lastHeard = clock.monotonic()
      if (event.type === 'tool-call') openTools.add(event.id)
      if (event.type === 'tool-result') openTools.delete(event.id)
    },
    close: stop,
  }
}
