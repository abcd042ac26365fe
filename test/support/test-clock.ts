import type { Clock } from '../../packages/runtime/src/kit/index.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  /**
   * Moves both clocks on, firing what falls due in order of time (then of registration), each at its own moment. Before
   * the first, after each and at the end the event loop gets a turn, so that what was woken can sleep again in time.
   */
  advance(ms: number): Promise<void>
  /** Moves the wall clock alone, either way. */
  jumpWall(ms: number): void
  /** Sleeps that are pending; intervals do not count. */
  sleepers(): number
  /** Resolves as soon as at least `count` sleeps are pending: the way to wait for code that will go to sleep. */
  untilSleepers(count: number): Promise<void>
}

export function createTestClock(start: Date | string = '2026-01-01T00:00:00.000Z'): TestClock {
  const alarms = new Set<Alarm>()
  const watchers = new Set<Watcher>()
  let wallOffset = new Date(start).getTime()
  let monotonic = 0

  const sleepers = () => [...alarms].filter(alarm => alarm.isSleep).length

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => {
        alarms.delete(alarm)
        reject(signal?.reason)
      }
      const fire = () => {
        alarms.delete(alarm)
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const alarm: Alarm = { due: monotonic + Math.max(0, ms), isSleep: true, fire }
      alarms.add(alarm)
      signal?.addEventListener('abort', abort, { once: true })
      tellWatchers()
    })
  }

  function every(ms: number, tick: () => void): () => void {
    const period = Math.max(ms, 1)
    const fire = () => {
      alarm.due += period
      tick()
    }
    const alarm: Alarm = { due: monotonic + period, isSleep: false, fire }
    alarms.add(alarm)
    return () => void alarms.delete(alarm)
  }

  async function advance(ms: number): Promise<void> {
    const target = monotonic + ms
    await turn()
    for (let next = earliest(alarms, target); next; next = earliest(alarms, target)) {
      monotonic = Math.max(monotonic, next.due)
      next.fire()
      await turn()
    }
    monotonic = Math.max(monotonic, target)
  }

  function untilSleepers(count: number): Promise<void> {
    return new Promise(resolve => {
      watchers.add({ count, resolve })
      tellWatchers()
    })
  }

  function tellWatchers(): void {
    const pending = sleepers()
    for (const watcher of watchers) {
      if (pending < watcher.count) continue
      watchers.delete(watcher)
      watcher.resolve()
    }
  }

  return {
    now: () => new Date(wallOffset + monotonic),
    monotonic: () => monotonic,
    sleep,
    every,
    advance,
    jumpWall(ms) {
      wallOffset += ms
    },
    sleepers,
    untilSleepers,
  }
}

interface Alarm {
  due: number
  readonly isSleep: boolean
  readonly fire: () => void
}

interface Watcher {
  readonly count: number
  readonly resolve: () => void
}

function earliest(alarms: ReadonlySet<Alarm>, limit: number): Alarm | undefined {
  let first: Alarm | undefined
  for (const alarm of alarms) {
    if (alarm.due <= limit && (!first || alarm.due < first.due)) first = alarm
  }
  return first
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
