import type { CheckpointType, EventData } from '@weave/protocol'
import type { ArchivedFiles, CodonPlace, Failure, RollbackEffects, RollbackIntent } from './effects.ts'
import type { NewEvent } from './harness-events.ts'
import type { RollbackTarget, Undone } from './rollback-target.ts'

/** Everything one rollback works with. It reports through `emit` and never reads the state. */
export interface RollbackTask {
  readonly target: RollbackTarget
  readonly undone: readonly Undone[]
  /** The codon that begins again after its rig: what its rig did stays, or is put back. */
  readonly rigKept?: string | undefined
  /** Of the undo of a rollback: what belongs into the archive again. */
  readonly archives?: readonly ArchivedFiles[] | undefined
  readonly fromRun: string
  readonly effects: RollbackEffects
  readonly emit: (event: NewEvent) => void
}

export type RolledBack =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly message: string
      /** The workspace is neither as before nor as the target says: nothing may run before a start has finished it. */
      readonly isHalfDone?: boolean
    }

/**
 * Takes the workspace back: a safety checkpoint, the intent, then archives, files and rig copies. When a step fails the
 * workspace goes back to the safety checkpoint, so that it is either as before or as the target says. A kill leaves the
 * intent, which the next start finishes, and so does a failure that cannot be taken back. All is on the disk before the
 * caller opens the run that goes on from there, and clears the intent.
 */
export async function performRollback(task: RollbackTask): Promise<RolledBack> {
  const { target, undone, fromRun, effects, emit } = task
  const steps = createSteps(task)
  const safety = await effects.safetyCheckpoint()
  if (!safety.ok) return { ok: false, message: `The safety checkpoint failed: ${safety.message}` }
  const { codonId, type, sha } = target
  emit({
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
  const intent = intentOf(task)
  effects.rollbackIntent.write(intent)
  steps.done('The workspace as it was is kept in a safety checkpoint.')
  const restored = await restoreFiles(intent, effects)
  if (!restored.ok) return takeBack(restored, safety.sha, task)
  steps.done(`${restored.files.length} files were brought back to ${sha.slice(0, 8)}.`)
  for (const each of undone) passed(each, emit)
  const archived = await effects.restoreArchives(intent.undone)
  steps.done(
    archived.ok
      ? `${archived.files.length} archived files are back in the workspace.`
      : `Archived files could not be put back: ${archived.message}`,
  )
  await cleanRigs(task)
  if (task.rigKept !== undefined) await effects.putBackRig(task.rigKept)
  const synced = await effects.syncFiles()
  if (!synced.ok) return { ...synced, isHalfDone: true }
  steps.done('What the rigs of the undone codons had copied is out of the way.')
  emit({
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

/** NewEvent when the run that goes on from the target is open. */
export function rollbackCompleted(
  { codonId, codonName, sha, type }: RollbackTarget,
  runs: Pick<EventData<'rollback.completed'>, 'fromRun' | 'toRun' | 'autoRestart'>,
): NewEvent {
  return {
    type: 'rollback.completed',
    data: { ...runs, checkpoint: sha, codonId, codonName, checkpointType: type },
  }
}

const totalSteps = 4

function createSteps({ emit }: RollbackTask) {
  let currentStep = 0
  return {
    done(message: string): void {
      currentStep++
      emit({ type: 'rollback.progress', data: { currentStep, totalSteps, message } })
    },
  }
}

function intentOf({ target, undone, rigKept, archives = [] }: RollbackTask): RollbackIntent {
  const { sha, startedFrom } = target
  const places = undone.map(({ runId, record: { codonId } }): CodonPlace => ({ runId, codonId }))
  return { sha, startedFrom, undone: places, archives, ...(rigKept !== undefined && { rigKept }) }
}

/** What goes into the archive again goes first: there it is safe from the files of the checkpoint. */
async function restoreFiles(
  { sha, undone, archives }: RollbackIntent,
  effects: RollbackEffects,
): ReturnType<RollbackEffects['restore']> {
  const archived = archives.length === 0 ? undefined : await effects.archiveAgain(archives, undone)
  return archived?.ok === false ? archived : effects.restore(sha)
}

/** The intent stays when that fails, too: the next start then goes on to the target. */
async function takeBack(
  { message }: Failure,
  safety: string,
  { effects, archives = [] }: RollbackTask,
): Promise<RolledBack> {
  const restored = await effects.restore(safety)
  const back = restored.ok && archives.length > 0 ? await effects.restoreArchives(archives) : restored
  if (back.ok) {
    effects.rollbackIntent.clear()
    return { ok: false, message: `${message} The workspace is as it was before.` }
  }
  const state = `The workspace could not be put back either: ${back.message}`
  return {
    ok: false,
    isHalfDone: true,
    message: `${message} ${state} The next start finishes the rollback.`,
  }
}

const ends = { completed: 'completed', failed: 'error', skipped: 'skipped' } as const

function passed({ record }: Undone, emit: RollbackTask['emit']): void {
  const { codonId, codonName, status, checkpoints } = record
  const checkpointType: CheckpointType | undefined = Object.hasOwn(ends, status)
    ? ends[status as keyof typeof ends]
    : undefined
  const checkpoint = checkpointType && checkpoints[checkpointType]
  if (checkpointType === undefined || checkpoint === undefined) return
  const message = `${codonId} is undone; its ${checkpointType} checkpoint is kept.`
  emit({
    type: 'rollback.codonCheckpoint',
    data: { codonId, codonName, checkpoint, checkpointType, message },
  })
}

/** What the rig of each undone codon had made and the target does not hold. */
async function cleanRigs({ target, undone, rigKept, effects, emit }: RollbackTask): Promise<void> {
  for (const { codonId, codonName } of rigsToClean(
    undone.map(({ record }) => record),
    rigKept,
  )) {
    const directories = [...(await effects.rigLeftovers(codonId, target.sha))]
    if (directories.length === 0) continue
    emit({ type: 'rollback.rigCleanup', data: { codonId, codonName, directories, status: 'started' } })
    const { movedTo, failures } = await effects.cleanRig(codonId, directories)
    const failed = new Set(failures.map(({ directory }) => directory))
    const successfulCleanups = directories.filter(directory => !failed.has(directory))
    const status =
      failures.length === 0 ? 'completed' : successfulCleanups.length === 0 ? 'failed' : 'partial'
    emit({
      type: 'rollback.rigCleanup',
      data: {
        codonId,
        codonName,
        directories,
        status,
        successfulCleanups,
        ...(failures.length > 0 && { failedCleanups: [...failures] }),
      },
    })
    if (successfulCleanups.length > 0)
      emit({ type: 'info', data: { message: movedWords(codonId, successfulCleanups, movedTo) } })
  }
}

function movedWords(codonId: string, paths: readonly string[], movedTo: string): string {
  return `What the rig of ${codonId} had made is now in ${movedTo}: ${paths.join(', ')}.`
}

/** Each codon once, whatever attempts there were. */
export function rigsToClean<Codon extends { readonly codonId: string }>(
  undone: readonly Codon[],
  rigKept: string | undefined,
): readonly Codon[] {
  const codons = new Map(undone.toReversed().map(codon => [codon.codonId, codon]))
  return undone.filter(codon => codon.codonId !== rigKept && codons.get(codon.codonId) === codon)
}

/** The same for a start that found an intent: no safety checkpoint and no events; what was done is done again. */
export async function finishRollback(intent: RollbackIntent, effects: RollbackEffects): Promise<RolledBack> {
  const { sha, undone, rigKept } = intent
  const restored = await restoreFiles(intent, effects)
  if (!restored.ok) return restored
  const archived = await effects.restoreArchives(undone)
  if (!archived.ok) return archived
  for (const { codonId } of rigsToClean(undone, rigKept)) {
    const leftovers = await effects.rigLeftovers(codonId, sha)
    if (leftovers.length > 0) await effects.cleanRig(codonId, leftovers)
  }
  if (rigKept !== undefined) await effects.putBackRig(rigKept)
  return effects.syncFiles()
}
