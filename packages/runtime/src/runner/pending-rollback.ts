import { currentRun } from '@weave/protocol'
import type { Plan } from '../plan/index.ts'
import type { Effects } from './effects.ts'
import { rigKeptBy } from './lineage.ts'
import { performRollback, type RolledBack, rollbackCompleted } from './rollback.ts'
import {
  type RollbackCommand,
  type RollbackTarget,
  rollbackTarget,
  type TargetResult,
  undoneBy,
} from './rollback-target.ts'
import type { RunEvents } from './run-events.ts'
import type { Recorder } from './state-recorder.ts'

export interface PendingRollbackOptions {
  readonly plan: Plan
  readonly effects: Effects
  readonly recorder: Recorder
  readonly events: RunEvents
}

export interface AskedRollback {
  readonly target: RollbackTarget
  readonly command: RollbackCommand
}

/** The one rollback that was asked for: kept until what runs has stopped, then performed. Changes no state. */
export function createPendingRollback({ plan, effects, recorder, events }: PendingRollbackOptions) {
  let asked: AskedRollback | undefined
  let isUnderWay = false

  return {
    /** The target is settled before anything is stopped: a rollback that cannot be leaves everything as it is. */
    ask(command: RollbackCommand): TargetResult {
      const resolved = rollbackTarget(plan, recorder.state, command)
      if (resolved.ok) asked = { target: resolved.target, command }
      return resolved
    },
    get isAsked() {
      return asked !== undefined
    },
    get isUnderWay() {
      return isUnderWay
    },
    /** The server goes down before it began. */
    forget(): void {
      asked = undefined
    },
    /** Call when nothing else runs. Rejects when the workspace is left half-way: nothing may go on there. */
    async perform(): Promise<RolledBack> {
      if (!asked) return { ok: false, message: 'No rollback was asked for.' }
      const { target, command } = asked
      isUnderWay = true
      events.answer(command.id)
      const undone = undoneBy(recorder.state, target.startedFrom)
      const fromRun = currentRun(recorder.state)?.runId ?? ''
      const rigKept = rigKeptBy(recorder.state, target.startedFrom)
      const done = await performRollback({
        target,
        undone,
        rigKept,
        fromRun,
        effects: effects.rollback,
        emit: events.emit,
      })
      if (!done.ok && done.isHalfDone) throw new Error(done.message)
      // The next snapshot carries the tree as it is now.
      await effects.files.settleFiles()
      return done
    },
    /** What was performed; another can be asked for. */
    take(): AskedRollback | undefined {
      const done = asked
      asked = undefined
      isUnderWay = false
      return done
    },
    completed({ target, command }: AskedRollback, fromRun: string): void {
      const toRun = currentRun(recorder.state)?.runId ?? ''
      const { autoRestart } = command.data
      events.emit(rollbackCompleted(target, { fromRun, toRun, autoRestart }))
    },
  }
}

export type PendingRollback = ReturnType<typeof createPendingRollback>
