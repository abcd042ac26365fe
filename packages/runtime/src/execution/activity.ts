import type { EventData } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'

export type Activity = EventData<'run.activity'>

/** What is being done, and how far it has come. */
export type ActivityStep = Omit<Activity, 'over'>

export interface Activities {
  /** Something begins that may take long. Whoever watches hears of it when it lasts, about once a second. */
  begin(step: ActivityStep): RunningActivity
  /** From now on this one hears of it, too. Must not throw. */
  listen(listener: ActivityListener): void
}

export type ActivityListener = (activity: Activity) => void

export interface RunningActivity {
  update(more: Partial<ActivityStep>): void
  end(): void
}

/** Often enough that nobody wonders whether something hangs, and nothing for what is over in an instant. */
const everyMs = 1_000

export function createActivities(clock: Clock): Activities {
  const listeners: ActivityListener[] = []
  const emit = (activity: Activity): void => {
    for (const listener of listeners) listener(activity)
  }
  return {
    listen: listener => void listeners.push(listener),
    begin(step) {
      let current = step
      let isEmitted = false
      const stop = clock.every(everyMs, () => {
        isEmitted = true
        emit(current)
      })
      return {
        update(more) {
          current = { ...current, ...more }
        },
        end() {
          stop()
          if (isEmitted) emit({ ...current, over: true })
        },
      }
    },
  }
}

/** Runs work as one activity. */
export async function during<Result>(
  activities: Activities,
  step: ActivityStep,
  work: (activity: RunningActivity) => Promise<Result>,
): Promise<Result> {
  const activity = activities.begin(step)
  try {
    return await work(activity)
  } finally {
    activity.end()
  }
}
