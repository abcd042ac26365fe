import {
  type CheckpointType,
  type CodonExecution,
  currentRun,
  lineageOf,
  type WeaveState,
} from '@weave/protocol'
import type { CheckpointRecord, CheckpointStore } from '../checkpoint/index.ts'
import { createHistory, replay } from '../journal/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface CheckpointRow {
  readonly runId: string
  /** Empty for the beginning. */
  readonly codonId: string
  readonly codonName: string
  /** `start`: before everything. `safety`: before a rollback or a repair. */
  readonly type: CheckpointType | 'start' | 'safety'
  /** Of the codon. */
  readonly status: string
  readonly sha: string
  readonly timestamp: string
  /** How many files are different from the checkpoint before; absent when that was not counted. */
  readonly files?: number
  /** No longer part of what the next run goes on from. */
  readonly isUndone: boolean
}

/** In the order in which a codon makes them. */
const order: readonly CheckpointType[] = ['rig-setup', 'completed', 'error', 'skipped']

/** All checkpoints of an execution, run by run, oldest first. */
export async function listRows(state: WeaveState, store: CheckpointStore): Promise<readonly CheckpointRow[]> {
  const lists = await Promise.all([store.safeties(), ...state.runs.map(({ runId }) => store.list(runId))])
  const records = new Map(lists.flat().map(record => [record.sha, record]))
  const rows: CheckpointRow[] = []
  for (const row of rowsOf(state, lists[0] ?? [])) {
    const record = records.get(row.sha)
    const files = record && (await changedFiles(record, records, store))
    rows.push({
      ...row,
      timestamp: record?.timestamp ?? row.timestamp,
      ...(files !== undefined && { files }),
    })
  }
  return rows
}

/** The same for an execution in which a server is at work: what the journal says, and nothing is touched. */
export async function readCheckpointRows(layout: ExecutionLayout): Promise<readonly CheckpointRow[]> {
  const { state } = await replay(createHistory({ dir: layout.journal }), layout.stateFile)
  return rowsOf(state, [])
}

async function changedFiles(
  { sha, tree, parent }: CheckpointRecord,
  records: ReadonlyMap<string, CheckpointRecord>,
  store: CheckpointStore,
): Promise<number | undefined> {
  if (parent === undefined) return (await store.listFiles(sha))?.length
  if (records.get(parent)?.tree === tree) return 0
  const compared = await store.diff({ from: parent, to: sha })
  return compared.ok ? compared.files.length : undefined
}

/** As the journal has them; nothing is counted. Pure. */
export function rowsOf(state: WeaveState, safeties: readonly CheckpointRecord[]): readonly CheckpointRow[] {
  const kept = new Set(lineageOf(state, currentRun(state)))
  return state.runs.flatMap(({ runId, startTime, initialCheckpoint, codons }, at) => [
    ...(at === 0 && initialCheckpoint !== undefined ? [beginning(runId, initialCheckpoint, startTime)] : []),
    ...codons.flatMap(codon => codonRows(runId, codon, !kept.has(codon))),
    ...safeties.filter(safety => safety.runId === runId).map(safetyRow),
  ])
}

function beginning(runId: string, sha: string, timestamp: string): CheckpointRow {
  return { runId, codonId: '', codonName: '', type: 'start', status: '', sha, timestamp, isUndone: false }
}

function codonRows(runId: string, codon: CodonExecution, isUndone: boolean): readonly CheckpointRow[] {
  const { codonId, codonName, status, checkpoints, startTime } = codon
  return order.flatMap(type => {
    const sha = checkpoints[type]
    if (sha === undefined) return []
    const timestamp = type !== 'rig-setup' && 'endTime' in codon ? codon.endTime : startTime
    return [{ runId, codonId, codonName, type, status, sha, timestamp, isUndone }]
  })
}

function safetyRow({ runId, codonId, codonName, sha, status, timestamp }: CheckpointRecord): CheckpointRow {
  return { runId, codonId, codonName, type: 'safety', status, sha, timestamp, isUndone: false }
}
