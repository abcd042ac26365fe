import type { Clock } from '../kit/index.ts'

/** Work that nobody waits for, gathered and done in one go, in order. A task must not throw. */
export interface Later {
  /** Done within a moment. */
  add(task: () => void): void
  /** Everything is done now. */
  flush(): void
}

/** Milliseconds. */
const longest = 20
/** Many of a kind at once cost a fraction of what each costs in the middle of other work; more would only hold memory. */
const most = 32

/** Everything that is due is done inside one call of `around`. */
export function createLater(clock: Pick<Clock, 'sleep'>, around: (work: () => void) => void): Later {
  let tasks: (() => void)[] = []
  let isWatched = false
  const flush = (): void => {
    const due = tasks
    if (due.length === 0) return
    tasks = []
    around(() => {
      for (const task of due) task()
    })
  }
  const watch = async (): Promise<void> => {
    await clock.sleep(longest)
    isWatched = false
    flush()
  }
  return {
    add(task) {
      if (tasks.push(task) === most) setImmediate(flush)
      if (isWatched) return
      isWatched = true
      void watch()
    },
    flush,
  }
}
