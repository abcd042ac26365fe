import { type CodonExecution, currentRun, type EventData, type WeaveState } from '@weave/protocol'
import { readArchive } from '../effects/index.ts'
import { crashOf, describeFindings, type Journal, lastEventTime, type Replayed } from '../journal/index.ts'
import { killMarked, type Result, systemClock } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { finishRollback, type Recorder, type RollbackEffects, resumePoint } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { finishOutputs, readRollbackRecord } from './intents.ts'
import { freeSpace, isFull, type Recovering } from './rollback-effects.ts'

export interface Found {
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly recorder: Recorder
  readonly replayed: Replayed
  readonly plan: Plan
  /** The execution was taken from somebody: what that one started may still run, whatever the state says. */
  readonly tookOver: boolean
  readonly rollback: RollbackEffects
  readonly recovering: Pick<Recovering, 'differsFrom'>
}

export type Recovered =
  | {
      readonly ok: true
      /** What was found and done, for people. */
      readonly notes: readonly string[]
      /** Where to go on, when not where the last run ended: a rollback was cut off and is finished now. */
      readonly startFrom?: NonNullable<Parameters<typeof finishRollback>[0]>['startedFrom']
    }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/** Puts right what the last start left behind, and the workspace of the codon that will run again. */
export async function recover(found: Found): Promise<Recovered> {
  const right = await putRight(found)
  if (!right.ok || right.startFrom) return right
  const notes = [...right.notes]
  const restored = await restoreStart(found, notes)
  return restored.ok ? { ok: true, notes } : { ...restored, cure: await cureFor(found) }
}

/**
 * Puts right what the last start left behind, whatever happens next: leftover processes, a copy of outputs, a rollback, an
 * archive that was cut off.
 */
export async function putRight(found: Found): Promise<Recovered> {
  const notes = damageNotes(found)
  await noteCrash(found, notes)
  notes.push(...(await finishOutputs(found.layout, found.recorder.state)))
  const rollback = await readRollbackRecord(found.layout)
  if (!rollback.ok) return { ...rollback, cure: 'Remove the file to give the rollback up, then start again.' }
  if (rollback.intent) {
    const finished = await finishRollback(rollback.intent, found.rollback)
    if (!finished.ok) return { ...finished, cure: await cureFor(found) }
    notes.push(`A rollback to ${rollback.intent.sha.slice(0, 8)} had been cut off; it is finished now.`)
    return { ok: true, notes, startFrom: rollback.intent.startedFrom }
  }
  const archived = await undoArchives(found, notes)
  return archived.ok ? { ok: true, notes } : { ...archived, cure: await cureFor(found) }
}

/** What is in the way is named in the message, if it is not the disk that is full. */
async function cureFor({ layout }: Found): Promise<string> {
  if (await isFull(layout.dir)) return freeSpace(layout)
  return `Put right what the message names, then start again; ${layout.internals} has the record.`
}

function damageNotes({ journal, replayed }: Found): string[] {
  const notes: string[] = []
  const { repair } = journal
  if (repair && repair.tornBytes > 0)
    notes.push(`The journal had a torn last line; it is kept in ${repair.keptIn ?? 'a file beside it'}.`)
  notes.push(...describeFindings(journal.findings))
  const refused = replayed.refused.length
  if (refused > 0)
    notes.push(`${refused} changes of the state do not fit what came before them; they were passed over.`)
  return notes
}

/** The only sweep by directory: whoever calls holds the execution and has started nothing in it yet. */
async function noteCrash({ layout, journal, recorder, tookOver }: Found, notes: string[]): Promise<void> {
  const lastEventAt = await lastEventTime(journal.history, journal.lastSeq)
  const crash = crashOf(recorder.state, systemClock.now(), lastEventAt)
  if (!crash && !tookOver) return
  const { killed } = await killMarked(`WEAVE_EXECUTION_ID=${layout.dir}`, { graceMs: 2_000 })
  if (!crash) return
  const last = currentRun(recorder.state)?.codons.at(-1)
  const again = last && !('endTime' in last) ? `; ${last.codonId} was under way and runs again` : ''
  const untold = await untoldEnd(journal, recorder.state)
  if (untold) journal.append('codon.completed', untold)
  recorder.record(crash)
  const ended = killed.length > 0 ? ` ${killed.length} leftover processes were ended.` : ''
  notes.push(`The last run ended without saying so${again}.${ended}`)
}

/** Between the end of a codon and the word of it there are a few of its own. */
const eventsBetween = 1_000

/** A codon ends in the state first, then clients are told. Who was killed in between has left that to the next start. */
async function untoldEnd(
  { history, lastSeq }: Journal,
  state: WeaveState,
): Promise<EventData<'codon.completed'> | undefined> {
  const last = currentRun(state)?.codons.at(-1)
  if (!last || !('endTime' in last)) return undefined
  let isUntold = false
  for await (const { events } of history.pages({ after: Math.max(0, lastSeq - eventsBetween) }))
    for (const stored of events) {
      if (!endTypes.has(history.type(stored))) continue
      const event = await history.event(stored)
      if (event?.type === 'codon.completed') isUntold = false
      else if (event?.type === 'state.transition')
        isUntold ||=
          event.data.transitionType === 'CodonTransitioned' && 'endTime' in event.data.transition.data
    }
  if (!isUntold) return undefined
  const { codonId, status, cost, startTime, endTime, exitStatus = { type: 'success' } } = last
  return {
    codonId,
    success: status === 'completed',
    cost,
    duration: Math.max(0, Date.parse(endTime) - Date.parse(startTime)),
    exitStatus,
    ...(status === 'failed' && { failureReason: last.failureReason }),
  }
}

const endTypes: ReadonlySet<string> = new Set(['codon.completed', 'state.transition'])

/** Files that a codon archived which is not done: they belong where they were. */
async function undoArchives({ layout, recorder, rollback }: Found, notes: string[]): Promise<Result> {
  const archive = await readArchive(layout.archiveManifest)
  if (!archive.ok) return archive
  const done = new Set(
    recorder.state.runs.flatMap(({ runId, codons }) =>
      codons.filter(({ status }) => status === 'completed').map(({ codonId }) => `${runId} ${codonId}`),
    ),
  )
  const undone = archive.entries.filter(({ runId, codonId }) => !done.has(`${runId} ${codonId}`))
  if (undone.length === 0) return { ok: true }
  const restored = await rollback.restoreArchives(undone)
  if (!restored.ok) return restored
  notes.push(`${restored.files.length} archived files of an unfinished codon are back in the workspace.`)
  return { ok: true }
}

/**
 * The codon that will run again begins where it began. After a crash always, with what it left kept in a safety checkpoint.
 * After an end that was recorded only when nobody has touched the workspace since: what a person repaired stays.
 */
async function restoreStart(
  { plan, recorder, rollback, recovering }: Found,
  notes: string[],
): Promise<Result> {
  const start = resumePoint(plan, recorder.state)
  const sha = start.type === 'continuation' ? start.checkpoint : undefined
  const interrupted = unfinished(recorder.state, start.type === 'continuation' ? start.codonId : undefined)
  if (sha === undefined || !interrupted || !(await recovering.differsFrom(sha))) return { ok: true }
  // Asked of the state, not of this start: a start that was killed here had noted the crash and restored nothing yet.
  const hadCrashed = currentRun(recorder.state)?.status === 'crashed'
  const end = interrupted.checkpoints.error
  if (!hadCrashed && (end === undefined || (await recovering.differsFrom(end)))) {
    notes.push(
      `The workspace was changed since ${interrupted.codonId} ended; it is left as it is. To begin where the codon began, roll back.`,
    )
    return { ok: true }
  }
  const safety = await rollback.safetyCheckpoint()
  if (!safety.ok) return safety
  const restored = await rollback.restore(sha)
  if (!restored.ok) return restored
  notes.push(
    `${interrupted.codonId} begins anew: ${restored.files.length} files are as they were before it; what it left is kept as ${safety.sha.slice(0, 8)}.`,
  )
  return { ok: true }
}

/** The codon after the place where the run goes on, if one had begun in this run. */
function unfinished(state: WeaveState, passed: string | undefined): CodonExecution | undefined {
  const last = currentRun(state)?.codons.at(-1)
  return last && last.codonId !== passed ? last : undefined
}
