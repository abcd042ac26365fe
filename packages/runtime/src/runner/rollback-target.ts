import {
  type CheckpointType,
  type CheckpointWord,
  type CodonExecution,
  type Command,
  currentRun,
  type ErrorCode,
  lineageOf,
  originOf,
  type RunState,
  type WeaveState,
} from '@weave/protocol'
import { codonAt, codonNamed, type Plan, start } from '../plan/index.ts'
import type { StartedFrom } from './lineage.ts'

/** Where a rollback leads: one checkpoint that the state knows, and the run that goes on from there. Pure. */
export interface RollbackTarget {
  readonly codonId: string
  readonly codonName: string
  readonly type: CheckpointType
  readonly sha: string
  readonly startedFrom: StartedFrom
}

/** What the present thread has done since the place that a run starts from, newest first, with the run it was done in. */
export function undoneBy(state: WeaveState, startedFrom: StartedFrom): readonly Undone[] {
  const kept = new Set(originOf(state, startedFrom).kept)
  return lineageOf(state, currentRun(state))
    .filter(record => !kept.has(record))
    .map(record => ({ record, runId: ownerOf(state, record)?.runId ?? '' }))
    .toReversed()
}

export interface Undone {
  readonly record: CodonExecution
  readonly runId: string
}

export type TargetResult =
  | { readonly ok: true; readonly target: RollbackTarget }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string }

export type RollbackCommand = Extract<Command, { readonly type: `rollback.${string}` }>

export function rollbackTarget(plan: Plan, state: WeaveState, command: RollbackCommand): TargetResult {
  switch (command.type) {
    case 'rollback.toCheckpoint':
      return bySha(plan, state, command.data.checkpointSha.toLowerCase())
    case 'rollback.toCodon':
      return byCodon(plan, state, command.data)
    case 'rollback.toLastSuccess':
      return lastSuccess(plan, state)
  }
}

/** One version of the workspace that the state knows. */
interface Known {
  readonly runId: string
  readonly sha: string
  readonly type: CheckpointType
  /** Absent: the beginning of everything. */
  readonly record?: CodonExecution
}

function bySha(plan: Plan, state: WeaveState, prefix: string): TargetResult {
  const fits = allKnown(state).filter(({ sha }) => sha.startsWith(prefix))
  const shas = new Set(fits.map(({ sha }) => sha))
  const [first] = fits
  if (!first) return refusal('UNKNOWN_CHECKPOINT', `No checkpoint of this execution begins with ${prefix}.`)
  if (shas.size > 1)
    return refusal('AMBIGUOUS_CHECKPOINT', `${shas.size} checkpoints begin with ${prefix}; give more of it.`)
  return found(plan, first)
}

function byCodon(
  plan: Plan,
  state: WeaveState,
  { codonId, checkpointType: word }: { readonly codonId: string; readonly checkpointType: CheckpointWord },
): TargetResult {
  if (!codonNamed(plan, codonId) && !isLoopCodon(plan, codonId))
    return refusal('UNKNOWN_CODON', `The plan has no codon ${codonId}.`)
  const isMeant = ({ codonId: id }: CodonExecution): boolean => id === codonId || id.startsWith(`${codonId}#`)
  // The thread that a person sees comes first; what was rolled back before can still be named.
  const threads = [currentRun(state), ...state.runs.toReversed()].map(run => lineageOf(state, run))
  for (const thread of threads) {
    for (let at = thread.length - 1; at >= 0; at--) {
      const record = thread[at]
      const known = record && isMeant(record) ? named(state, { thread, at, record, word }) : undefined
      if (known) return found(plan, known)
    }
  }
  return refusal('UNKNOWN_CHECKPOINT', `${codonId} has no checkpoint ${word}.`)
}

interface Naming {
  readonly thread: readonly CodonExecution[]
  readonly at: number
  readonly record: CodonExecution
  readonly word: CheckpointWord
}

/** What a checkpoint's name means for one record. `start`: after its rig, otherwise where the codon before it ended, or the beginning. */
function named(state: WeaveState, { thread, at, record, word }: Naming): Known | undefined {
  if (word !== 'start' && word !== 'end') return knownOf(state, record, word)
  if (word === 'end') return endOf(state, record)
  const earlier = thread.slice(0, at).findLast(({ codonId }) => codonId !== record.codonId)
  const afterRig = knownOf(state, record, 'rig-setup')
  if (afterRig || earlier) return afterRig ?? (earlier && endOf(state, earlier))
  return beginningOf(state)
}

function lastSuccess(plan: Plan, state: WeaveState): TargetResult {
  const record = lineageOf(state, currentRun(state)).findLast(
    ({ status, checkpoints }) => status === 'completed' && checkpoints.completed !== undefined,
  )
  const known = record && knownOf(state, record, 'completed')
  return known ? found(plan, known) : refusal('UNKNOWN_CHECKPOINT', 'No codon has completed yet.')
}

function found(plan: Plan, { runId, sha, type, record }: Known): TargetResult {
  const startedFrom: StartedFrom = {
    type: 'continuation',
    runId,
    ...(record && { codonId: record.codonId }),
    checkpoint: sha,
  }
  const first = codonAt(plan, start)
  const codonId = record?.codonId ?? first?.runtimeId ?? ''
  const codonName = record?.codonName ?? first?.codon.name ?? ''
  return { ok: true, target: { codonId, codonName, type, sha, startedFrom } }
}

function allKnown(state: WeaveState): readonly Known[] {
  const ofCodons = state.runs
    .flatMap(({ codons }) => codons)
    .flatMap(record =>
      (Object.keys(record.checkpoints) as CheckpointType[]).flatMap(
        type => knownOf(state, record, type) ?? [],
      ),
    )
  return [...ofCodons, ...[beginningOf(state)].flatMap(known => known ?? [])]
}

function knownOf(state: WeaveState, record: CodonExecution, type: CheckpointType): Known | undefined {
  const sha = record.checkpoints[type]
  const runId = ownerOf(state, record)?.runId
  return sha === undefined || runId === undefined ? undefined : { runId, sha, type, record }
}

function endOf(state: WeaveState, record: CodonExecution): Known | undefined {
  const types = { completed: 'completed', failed: 'error', skipped: 'skipped' } as const
  const type = Object.hasOwn(types, record.status) ? types[record.status as keyof typeof types] : undefined
  return type && knownOf(state, record, type)
}

/** Before everything: where the first run began. */
function beginningOf({ runs: [first] }: WeaveState): Known | undefined {
  if (first?.initialCheckpoint === undefined) return undefined
  return { runId: first.runId, sha: first.initialCheckpoint, type: 'rig-setup' }
}

function ownerOf({ runs }: WeaveState, record: CodonExecution): RunState | undefined {
  return runs.find(({ codons }) => codons.includes(record))
}

function isLoopCodon(plan: Plan, codonId: string): boolean {
  return plan.items.some(item => item.kind === 'loop' && item.codons.some(({ id }) => id === codonId))
}

function refusal(code: ErrorCode, message: string): TargetResult {
  return { ok: false, code, message }
}
