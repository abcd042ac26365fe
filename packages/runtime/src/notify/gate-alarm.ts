import type { Clock } from '../kit/index.ts'
import type { Notice } from './notice.ts'

/** Of the time that a gate has: so much before its end people are told again, and at least ten minutes before. */
const share = 0.2
const leastMs = 600_000

/** When to say that a gate will expire; undefined when it has so little time that it was said just now. */
export function alarmTime(waitingSince: number, deadline: number): number | undefined {
  const lead = Math.max((deadline - waitingSince) * share, leastMs)
  return lead < deadline - waitingSince ? deadline - lead : undefined
}

/** Tells once that the gate which waits will expire. At most one gate waits at a time. */
export function createGateAlarm(clock: Clock, tell: (notice: Notice) => void) {
  let decided = new AbortController()
  const clear = (): void => decided.abort()
  return {
    /** A gate waits until `deadline`. */
    set(waiting: Notice, deadline: string): void {
      clear()
      decided = new AbortController()
      const until = Date.parse(deadline)
      const at = alarmTime(Date.parse(waiting.timestamp), until)
      const now = clock.now().getTime()
      if (at === undefined || now >= until) return
      const timestamp = new Date(Math.max(at, now)).toISOString()
      const message = [`It is rejected at ${deadline}.`, waiting.message].filter(Boolean).join(' ')
      const notice: Notice = {
        ...waiting,
        id: `${waiting.id}-expiring`,
        type: 'gate.expiring',
        timestamp,
        message,
      }
      clock.sleep(Math.max(0, at - now), decided.signal).then(
        () => tell(notice),
        () => undefined,
      )
    },
    clear,
  }
}
