import {
  outputsOf,
  type ReportCheckpoint,
  type ReportCost,
  type ReportData,
  type ReportOutputs,
  type ReportRun,
  type ReportTotals,
  type RunStatus,
  type WeaveState,
} from '@weave/protocol'
import type { CheckpointRow, CostReport, Plan, RecordedSetting } from '@weave/runtime'
import { budgetRows } from './budget-rows.ts'
import type { CheckpointFiles } from './checkpoint-files.ts'
import type { JournalReading } from './read-journal.ts'
import { runRows } from './run-rows.ts'

export interface ReportSource {
  readonly weaveVersion: string
  /** In milliseconds since 1970. */
  readonly now: number
  readonly dir: string
  readonly isLive: boolean
  readonly isRehearsal: boolean
  readonly hankPath: string
  readonly dataPath: string | undefined
  readonly plan: Plan
  readonly reading: JournalReading
  readonly costs: CostReport
  readonly checkpoints: readonly (CheckpointFiles & { readonly row: CheckpointRow })[]
  readonly checkpointsLeftOut: number
  readonly settings: readonly RecordedSetting[]
  readonly notes: readonly string[]
}

/** Everything in a report but its events, as the page reads it. Pure. */
export function reportData(source: ReportSource): ReportData {
  const { reading, plan, costs, now } = source
  const { state, rolledBack } = reading
  const undone = new Set(
    source.checkpoints.filter(({ row }) => row.isUndone).map(({ row }) => `${row.runId} ${row.codonId}`),
  )
  const runs = runRows(state, { rolledBack, undone, now })
  const last = runs.at(-1)
  return {
    weaveVersion: source.weaveVersion,
    madeAt: new Date(now).toISOString(),
    hank: {
      name: plan.hankName,
      path: source.hankPath,
      ...(source.dataPath !== undefined && { data: source.dataPath }),
    },
    execution: { dir: source.dir, isRehearsal: source.isRehearsal, isLive: source.isLive },
    status: statusOf(last?.status, source.isLive),
    ...(last?.reason !== undefined && { reason: last.reason }),
    totals: totalsOf(source, runs),
    runs,
    spending: reading.spending,
    costs: costRows(costs),
    budgets: budgetRows(plan, runs, { dollars: state.totalCost, lines: reading.budgets }),
    checkpoints: { items: checkpointRows(source, state), leftOut: source.checkpointsLeftOut },
    outputs: outputRows(reading, undone),
    sentinels: reading.sentinels,
    errors: reading.errors,
    settings: source.settings,
    notes: source.notes,
  }
}

type Runs = readonly ReportRun[]

/** A run that nobody holds any more and that has no end has crashed, whether or not somebody has written that down. */
function statusOf(status: RunStatus | undefined, isLive: boolean): RunStatus | 'new' {
  if (status === undefined) return 'new'
  return status === 'running' && !isLive ? 'crashed' : status
}

function totalsOf({ reading, costs }: ReportSource, runs: Runs): ReportTotals {
  const attempts = runs.flatMap(run => run.attempts)
  const done = attempts.filter(({ status, isUndone }) => status === 'completed' && !isUndone)
  const sum = (key: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    attempts.reduce((total, { tokens }) => total + tokens[key], 0)
  return {
    cost: reading.state.totalCost,
    isCostUnknown: costs.costUnknown,
    sentinelCost: costs.totals.sentinels,
    durationMs: runs.reduce((total, { durationMs }) => total + durationMs, 0),
    tokens: {
      input: sum('input'),
      cacheWrite: sum('cacheWrite'),
      cacheRead: sum('cacheRead'),
      output: sum('output'),
    },
    codonsDone: new Set(done.map(({ codonId }) => codonId)).size,
    attempts: attempts.length,
  }
}

function costRows({ codons, sentinels }: CostReport): readonly ReportCost[] {
  const ofCodons = codons.map(({ codonId, model, attempts, classes, cost, costUnknown }): ReportCost => {
    const count = (name: (typeof classes)[number]['class']) =>
      classes.find(each => each.class === name)?.tokens ?? 0
    return {
      name: codonId,
      kind: 'codon',
      detail: model,
      attempts,
      tokens: {
        input: count('input'),
        cacheWrite: count('cacheWrite'),
        cacheRead: count('cacheRead'),
        output: count('output'),
      },
      cost,
      isCostUnknown: costUnknown,
    }
  })
  const ofSentinels = sentinels.map(
    ({ sentinelId, codonId, calls, tokens, cost, costUnknown }): ReportCost => ({
      name: sentinelId,
      kind: 'sentinel',
      detail: `watching ${codonId}`,
      attempts: calls,
      tokens: { input: tokens.input, cacheWrite: 0, cacheRead: 0, output: tokens.output },
      cost,
      isCostUnknown: costUnknown,
    }),
  )
  return [...ofCodons, ...ofSentinels]
}

function checkpointRows(
  { checkpoints, reading }: ReportSource,
  { runs }: WeaveState,
): readonly ReportCheckpoint[] {
  return checkpoints.map(({ row, files, filesLeftOut, note }) => {
    const at = runs.findIndex(({ runId }) => runId === row.runId)
    const next = runs[at + 1]?.runId ?? ''
    return {
      sha: row.sha,
      name: nameOf(row, reading.rolledBack.has(next)),
      codonId: row.codonId,
      type: row.type,
      timestamp: row.timestamp,
      run: at + 1,
      isUndone: row.isUndone,
      files,
      filesLeftOut,
      ...(note !== undefined && { note }),
    }
  })
}

const mostOutputs = 200
const mostOutputFiles = 200

/** By run and codon; `undone`: `runId codonId` of what a rollback took back. */
function outputRows({ state, outputs }: JournalReading, undone: ReadonlySet<string>): ReportData['outputs'] {
  const rows = state.runs.flatMap(({ runId, codons }, at) =>
    codons.flatMap((record): readonly ReportOutputs[] => {
      const copy = outputsOf(record, outputs)
      if (!copy) return []
      const { codonId, time, directory, files } = copy
      const filesLeftOut = Math.max(0, files.length - mostOutputFiles)
      const isUndone = undone.has(`${runId} ${codonId}`)
      const shown = files.slice(0, mostOutputFiles)
      return [{ codonId, run: at + 1, time, directory, files: shown, filesLeftOut, isUndone }]
    }),
  )
  return { items: rows.slice(-mostOutputs), leftOut: Math.max(0, rows.length - mostOutputs) }
}

/** `rolledBack`: its run ended with a rollback. */
function nameOf({ type, codonId }: CheckpointRow, rolledBack: boolean): string {
  if (type === 'safety') return rolledBack ? 'before the rollback' : 'before the repair'
  return codonId === '' ? 'the beginning' : codonId
}
