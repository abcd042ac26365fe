import { join } from 'node:path'
import type { GateAnswer, TurnJob } from './messages.ts'
import type { Head } from './place.ts'
import type { NamedTree, StoredTree } from './tree.ts'

/** A row of the table of executions, as a claim gives it. */
export interface ClaimedExecution {
  readonly id: string
  readonly batch: string
  readonly epoch: string
  readonly job: string
  readonly worker: string
  readonly priority: number
  /** The turn before ended without a word. */
  readonly taken_over: boolean
  readonly head: Head | null
  /** In millionths of a dollar: what turns spent at most that died. */
  readonly lost: string
  /** In millionths of a dollar: what it lacked when it was ended for want of money. */
  readonly wants: string | null
  readonly answer: GateAnswer | null
  readonly data: StoredTree | NamedTree | null
  readonly options: RowOptions
}

/** What one execution may say otherwise than its batch. */
export interface RowOptions {
  readonly model?: string | undefined
  readonly maxCost?: string | undefined
}

export interface BatchOptions {
  readonly rehearse?: boolean | undefined
  readonly model?: string | undefined
  readonly maxCostEach?: string | undefined
  readonly maxTime?: string | undefined
}

/** What the process of a turn is to do. */
export function jobOf(
  { hank, data, dir }: { readonly hank: string; readonly data: string | undefined; readonly dir: string },
  claimed: ClaimedExecution,
  { rehearse = false, model, maxCostEach, maxTime }: BatchOptions,
): Omit<TurnJob, 'until' | 'freezeMs'> {
  const { id, batch, epoch, worker, head, options, lost, answer } = claimed
  const lostDollars = Number(lost) / 1e6
  return {
    turn: {
      executionId: id,
      batchId: batch,
      epoch: Number(epoch),
      worker,
      head: head?.seq ?? 0,
      ...(lostDollars > 0 && { lostDollars }),
    },
    ...(answer && { answer }),
    hank,
    data,
    dataHash: claimed.data?.hash,
    execution: dir,
    outputs: join(dir, 'outputs'),
    rehearse,
    model: options.model ?? model,
    maxCost: options.maxCost ?? maxCostEach,
    maxTime,
  }
}
