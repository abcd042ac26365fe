import { currentRun } from '@weave/protocol'
import type { Plan } from '../plan/index.ts'
import type { Announcer } from './announce.ts'
import type { Effects } from './effects.ts'
import type { Recorder } from './record.ts'
import { performRollback, type RolledBack, rollbackCompleted } from './rollback.ts'
import {
  type RollbackCommand,
  type RollbackTarget,
  rollbackTarget,
  type TargetResult,
  undoneBy,
} from './rollback-target.ts'
import { rigKeptBy } from './thread.ts'

export interface RollbackDeskOptions {
  readonly plan: Plan
  readonly effects: Effects
  readonly recorder: Recorder
  readonly say: Announcer
}

export interface AskedRollback {
  readonly target: RollbackTarget
  readonly command: RollbackCommand
}

/** The one rollback that was asked for: kept until what runs has stopped, then performed. Changes no state. */
export function createRollbackDesk({ plan, effects, recorder, say }: RollbackDeskOptions) {
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
      say.answer(command.id)
      const undone = undoneBy(recorder.state, target.startedFrom)
      const fromRun = currentRun(recorder.state)?.runId ?? ''
      const rigKept = rigKeptBy(recorder.state, target.startedFrom)
      const done = await performRollback({
        target,
        undone,
        rigKept,
        fromRun,
        effects: effects.rollback,
        tell: say.tell,
      })
      if (!done.ok && done.isHalfDone) throw new Error(done.message)
      // The next snapshot carries the tree as it is now.
      await effects.files.settleFiles()
      return done
    },
    /** What was performed; the desk is free again. */
    take(): AskedRollback | undefined {
      const done = asked
      asked = undefined
      isUnderWay = false
      return done
    },
    completed({ target, command }: AskedRollback, fromRun: string): void {
      const toRun = currentRun(recorder.state)?.runId ?? ''
      const { autoRestart } = command.data
      say.tell(rollbackCompleted(target, { fromRun, toRun, autoRestart }))
    },
  }
}

export type RollbackDesk = ReturnType<typeof createRollbackDesk>
