import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { systemClock } from '../kit/index.ts'

/**
 * Lets long readings wait for short ones, which would otherwise be done in pieces between theirs. Polite ones also rest
 * between two stretches, so that a run beside them keeps its processor.
 */
export type Turns = ReturnType<typeof createTurns>

/**
 * How long polite readings rest, in times of what they worked since their last rest; more than this was no reading. Not after every
 * stretch: short rests would only wake it more often.
 */
const rests = 2
const leastWorkMs = 5
const longestWorkMs = 50
/** The same for the time that they waited for a core, which others want then. */
const restsOfQueue = 8
const longestQueueMs = 50

interface TurnsOptions {
  readonly isPolite?: boolean
  /** How long this thread has waited for a core since it began. */
  readonly queuedMs?: () => number
}

export function createTurns({ isPolite = false, queuedMs = queuedOfThread }: TurnsOptions = {}) {
  let underWay = 0
  let waiting: (() => void)[] = []
  let resumedAt = Number.NEGATIVE_INFINITY
  let restsUntil = Number.NEGATIVE_INFINITY
  let queuedBefore = isPolite ? queuedMs() : 0
  /** All rest together, and the longer for what another was still working on: each by itself would take what the others leave. */
  const rest = async (signal: AbortSignal): Promise<void> => {
    const now = systemClock.monotonic()
    const worked = now - resumedAt
    if (now >= restsUntil && worked < leastWorkMs) return setImmediate()
    const queued = queuedMs()
    const longer = Math.min(queued - queuedBefore, longestQueueMs) * restsOfQueue
    queuedBefore = queued
    restsUntil = Math.max(now, restsUntil) + Math.min(worked, longestWorkMs) * rests + longer
    resumedAt = now
    for (
      let left = restsUntil - now;
      left > 0 && !signal.aborted;
      left = restsUntil - systemClock.monotonic()
    )
      await systemClock.sleep(left, signal).catch(() => undefined)
    resumedAt = systemClock.monotonic()
  }
  return {
    /** A short reading begins; call what it returns when it has ended. */
    short(): () => void {
      underWay++
      return () => {
        underWay--
        if (underWay > 0) return
        const free = waiting
        waiting = []
        for (const goOn of free) goOn()
      }
    },
    /** A long reading may go on. Rejects when the signal aborts. */
    async long(signal: AbortSignal): Promise<void> {
      // Also hears what was asked for meanwhile.
      await (isPolite ? rest(signal) : setImmediate())
      while (underWay > 0 && !signal.aborted) await new Promise<void>(resolve => waiting.push(resolve))
      signal.throwIfAborted()
    },
  }
}

/** Only Linux says it, and not in every container. */
function queuedOfThread(): number {
  try {
    const [, nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
    return Number(nanoseconds) / 1e6 || 0
  } catch {
    return 0
  }
}
