import { setImmediate } from 'node:timers/promises'

/** Lets long readings wait for short ones, which would otherwise be done in pieces between theirs. */
export type Turns = ReturnType<typeof createTurns>

export function createTurns() {
  let underWay = 0
  let waiting: (() => void)[] = []
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
      await setImmediate()
      while (underWay > 0 && !signal.aborted) await new Promise<void>(resolve => waiting.push(resolve))
      signal.throwIfAborted()
    },
  }
}
