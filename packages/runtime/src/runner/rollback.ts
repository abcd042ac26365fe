import type { CheckpointType, EventData } from '@weave/protocol'
import type { Plan } from '../plan/index.ts'
import type { Told } from './narrate.ts'
import type { Ports, RollbackIntent } from './ports.ts'
import type { RollbackTarget, Undone } from './rollback-target.ts'
import { stepOf } from './standing.ts'

/** What a rollback does to the workspace, as functions. */
export type RollbackPorts = Pick<
  Ports,
  'safetyCheckpoint' | 'restore' | 'restoreArchives' | 'rigLeftovers' | 'cleanRig' | 'rollbackIntent'
>

/** Everything one rollback works with. It reports through `tell` and never reads the state. */
export interface RollbackTask {
  readonly plan: Plan
  readonly target: RollbackTarget
  readonly undone: readonly Undone[]
  readonly fromRun: string
  readonly ports: RollbackPorts
  readonly tell: (told: Told) => void
}

export type RolledBack = { readonly ok: true } | { readonly ok: false; readonly message: string }

/**
 * Takes the workspace back: a safety checkpoint, the intent, then files, archives and rig copies. When a step fails the
 * workspace goes back to the safety checkpoint, so that it is either as before or as the target says. A kill leaves the
 * intent, which the next start finishes. The caller opens the run that goes on from there, and clears the intent.
 */
export async function performRollback(task: RollbackTask): Promise<RolledBack> {
  const { target, undone, fromRun, ports, tell } = task
  const steps = createSteps(task)
  const safety = await ports.safetyCheckpoint()
  if (!safety.ok) return { ok: false, message: `The safety checkpoint failed: ${safety.message}` }
  const { codonId, type, sha, startedFrom } = target
  tell({
    type: 'rollback.started',
    data: {
      fromRun,
      fromCodon: undone[0]?.record.codonId ?? codonId,
      toCodon: codonId,
      toCheckpoint: sha,
      checkpointType: type,
      codonsToProcess: undone.map(({ record }) => record.codonId),
    },
  })
  ports.rollbackIntent.write({ sha, startedFrom, undone: placesOf(task) })
  steps.done('The workspace as it was is kept in a safety checkpoint.')
  const restored = await ports.restore(sha)
  if (!restored.ok) {
    const back = await ports.restore(safety.sha)
    ports.rollbackIntent.clear()
    const state = back.ok ? 'is as it was before' : `could not be put back either: ${back.message}`
    return { ok: false, message: `${restored.message} The workspace ${state}.` }
  }
  steps.done(`${restored.files.length} files were brought back to ${sha.slice(0, 8)}.`)
  for (const each of undone) passed(each, tell)
  const archived = await ports.restoreArchives(undone.map(({ runId, record }) => ({ runId, ...record })))
  steps.done(
    archived.ok
      ? `${archived.files.length} archived files are back in the workspace.`
      : `Archived files could not be put back: ${archived.message}`,
  )
  await cleanRigs(task)
  steps.done('What the rigs of the undone codons had copied is out of the way.')
  tell({
    type: 'rollback.codonCheckpoint',
    data: {
      codonId,
      codonName: target.codonName,
      checkpoint: sha,
      checkpointType: type,
      message: `The workspace is at ${type} of ${codonId}.`,
    },
  })
  return { ok: true }
}

/** Told when the run that goes on from the target is open. */
export function rollbackCompleted(
  { codonId, codonName, sha, type }: RollbackTarget,
  runs: Pick<EventData<'rollback.completed'>, 'fromRun' | 'toRun' | 'autoRestart'>,
): Told {
  return {
    type: 'rollback.completed',
    data: { ...runs, checkpoint: sha, codonId, codonName, checkpointType: type },
  }
}

const totalSteps = 4

function createSteps({ tell }: RollbackTask) {
  let currentStep = 0
  return {
    done(message: string): void {
      currentStep++
      tell({ type: 'rollback.progress', data: { currentStep, totalSteps, message } })
    },
  }
}

const ends = { completed: 'completed', failed: 'error', skipped: 'skipped' } as const

function passed({ record }: Undone, tell: RollbackTask['tell']): void {
  const { codonId, codonName, status, checkpoints } = record
  const checkpointType: CheckpointType | undefined = Object.hasOwn(ends, status)
    ? ends[status as keyof typeof ends]
    : undefined
  const checkpoint = checkpointType && checkpoints[checkpointType]
  if (checkpointType === undefined || checkpoint === undefined) return
  const message = `${codonId} is undone; its ${checkpointType} checkpoint is kept.`
  tell({
    type: 'rollback.codonCheckpoint',
    data: { codonId, codonName, checkpoint, checkpointType, message },
  })
}

/** What the rig of each undone codon had copied and the target does not hold. */
async function cleanRigs({ plan, target, undone, ports, tell }: RollbackTask): Promise<void> {
  for (const { record } of undone) {
    const { codonId, codonName } = record
    const targets = rigTargets(plan, codonId)
    const directories = targets.length === 0 ? [] : await ports.rigLeftovers(targets, target.sha)
    if (directories.length === 0) continue
    tell({ type: 'rollback.rigCleanup', data: { codonId, codonName, directories, status: 'started' } })
    const failures = await ports.cleanRig(directories)
    const failed = new Set(failures.map(({ directory }) => directory))
    const successfulCleanups = directories.filter(directory => !failed.has(directory))
    const status =
      failures.length === 0 ? 'completed' : successfulCleanups.length === 0 ? 'failed' : 'partial'
    tell({
      type: 'rollback.rigCleanup',
      data: {
        codonId,
        codonName,
        directories,
        status,
        successfulCleanups,
        ...(failures.length > 0 && { failedCleanups: failures }),
      },
    })
  }
}

export function rigTargets(plan: Plan, codonId: string): readonly string[] {
  const rig = stepOf(plan, codonId)?.codon.rig ?? []
  return rig.flatMap(operation => (operation.type === 'copy' ? [operation.copy.to] : []))
}

function placesOf({ plan, undone }: RollbackTask): RollbackIntent['undone'] {
  return undone.map(({ runId, record: { codonId } }) => ({
    runId,
    codonId,
    rigTargets: rigTargets(plan, codonId),
  }))
}

/** The same for a start that found an intent: no safety checkpoint, nobody to tell; what was done is done again. */
export async function finishRollback(
  { sha, undone }: RollbackIntent,
  ports: Pick<Ports, 'restore' | 'restoreArchives' | 'rigLeftovers' | 'cleanRig'>,
): Promise<RolledBack> {
  const restored = await ports.restore(sha)
  if (!restored.ok) return restored
  const archived = await ports.restoreArchives(undone)
  if (!archived.ok) return archived
  for (const { rigTargets: targets } of undone) await ports.cleanRig(await ports.rigLeftovers(targets, sha))
  return { ok: true }
}
