import {
  type CodonExecution,
  currentRun,
  type JournaledEvent,
  lineageOf,
  originOf,
  type WeaveState,
} from '@weave/protocol'
import type { CheckpointStore } from '../checkpoint/index.ts'
import type { History } from '../journal/index.ts'
import type { Result } from '../kit/index.ts'
import { codonAt, type Plan, start } from '../plan/index.ts'
import { type ArchivedFiles, type RollbackTarget, startPoint } from '../runner/index.ts'
import { eventsOfTypes } from './marked-events.ts'

type UndoResult = Result<{
  readonly target: RollbackTarget
  /** Files that the rollback put back and that belong into the archive again. */
  readonly archives: readonly ArchivedFiles[]
}>

interface UndoContext {
  readonly plan: Plan
  readonly state: WeaveState
  readonly history: History
  readonly store: CheckpointStore
}

/** Where the undo of the last rollback leads: to its safety checkpoint, and to where the run before it would have gone on. */
export async function undoTarget({ plan, state, history, store }: UndoContext): Promise<UndoResult> {
  const trail = await readTrail(history)
  const fromRun = trail.rollbacks.findLast(rollback => isDone(rollback, state))?.fromRun
  const at = state.runs.findIndex(({ runId }) => runId === fromRun)
  if (fromRun === undefined || at === -1) return { ok: false, message: 'No rollback was made here.' }
  const safety = (await store.safeties()).findLast(({ runId }) => runId === fromRun)
  if (!safety) return { ok: false, message: 'The safety checkpoint of the last rollback is gone.' }
  const past = { ...state, currentRunId: fromRun, runs: state.runs.slice(0, at + 1) }
  const startedFrom = startPoint(plan, past)
  const kept = originOf(state, startedFrom).kept
  const redone = ownedBy(state, kept, new Set(lineageOf(state, currentRun(state))))
  const held = new Set((await store.listFiles(safety.sha))?.map(({ path }) => path))
  const archives = trail.archives
    .filter(({ runId, codonId }) => redone.has(`${runId} ${codonId}`))
    .map(each => ({ ...each, files: each.files.filter(path => !held.has(path)) }))
    .filter(({ files }) => files.length > 0)
  const target = { ...endOf(plan, kept.at(-1)), sha: safety.sha, startedFrom }
  return { ok: true, target, archives }
}

function endOf(
  plan: Plan,
  last: CodonExecution | undefined,
): Pick<RollbackTarget, 'codonId' | 'codonName' | 'type'> {
  const first = codonAt(plan, start)
  if (!last) return { codonId: first?.runtimeId ?? '', codonName: first?.codon.name ?? '', type: 'rig-setup' }
  const { codonId, codonName, status } = last
  const type = status === 'skipped' ? 'skipped' : status === 'failed' ? 'error' : 'completed'
  return { codonId, codonName, type }
}

function ownedBy(
  { runs }: WeaveState,
  kept: readonly CodonExecution[],
  present: ReadonlySet<CodonExecution>,
): ReadonlySet<string> {
  const wanted = new Set(kept.filter(record => !present.has(record)))
  return new Set(
    runs.flatMap(({ runId, codons }) =>
      codons.filter(record => wanted.has(record)).map(({ codonId }) => `${runId} ${codonId}`),
    ),
  )
}

interface TrailedRollback {
  readonly fromRun: string
  readonly toCheckpoint: string
  isCompleted: boolean
}

/** One that was cut off and finished by a later start has no end in the journal, but a run that begins at its target. */
function isDone({ fromRun, toCheckpoint, isCompleted }: TrailedRollback, { runs }: WeaveState): boolean {
  const next = runs[runs.findIndex(({ runId }) => runId === fromRun) + 1]?.startedFrom
  return isCompleted || (next?.type === 'continuation' && next.checkpoint === toCheckpoint)
}

interface Trail {
  readonly rollbacks: TrailedRollback[]
  readonly archives: ArchivedFiles[]
}

/** Rollbacks and archives, in order. */
async function readTrail(history: History): Promise<Trail> {
  const trail: Trail = { rollbacks: [], archives: [] }
  const follow = createFollower(trail)
  for await (const event of eventsOfTypes(history, trailTypes)) follow(event)
  return trail
}

const trailTypes = [
  'rollback.started',
  'rollback.completed',
  'archive.completed',
  'state.transition',
] as const

function createFollower({ rollbacks, archives }: Trail) {
  let runId = ''
  let codonId = ''
  return ({ type, data }: JournaledEvent): void => {
    if (type === 'state.transition' && data.transitionType === 'RunStarted') runId = data.runId ?? ''
    if (type === 'state.transition' && data.transitionType === 'CodonStarted') codonId = data.codonId ?? ''
    if (type === 'rollback.started') rollbacks.push({ ...data, isCompleted: false })
    const last = rollbacks.at(-1)
    if (type === 'rollback.completed' && last) last.isCompleted = true
    if (type === 'archive.completed')
      archives.push({ owner: data.ownerId, runId, codonId, files: data.files })
  }
}
