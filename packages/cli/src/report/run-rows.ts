import type {
  CodonExecution,
  ReportAttempt,
  ReportRun,
  RunState,
  TokenClasses,
  TokenCounts,
  WeaveState,
} from '@weave/protocol'
import { breachAmounts } from 'weave-client'

export interface RunRowsContext {
  /** The runs that a rollback opened. */
  readonly rolledBack: ReadonlySet<string>
  /** `runId codonId` of what a rollback took back. */
  readonly undone: ReadonlySet<string>
  /** For what has not ended, in milliseconds since 1970. */
  readonly now: number
}

/** The runs of a state with their attempts, in the order of their start. */
export function runRows(state: WeaveState, context: RunRowsContext): readonly ReportRun[] {
  return state.runs.map(run => runRow(run, context))
}

function runRow(run: RunState, context: RunRowsContext): ReportRun {
  const { runId, status, startTime, cost, startedFrom } = run
  const ended = endOf(run, context.now)
  const after = startedFrom.type === 'continuation' ? startedFrom.codonId : undefined
  const isResumed = startedFrom.type === 'continuation'
  const origin = context.rolledBack.has(runId) ? 'rolled-back' : isResumed ? 'resumed' : 'fresh'
  return {
    runId,
    status,
    startTime,
    durationMs: span(startTime, ended),
    cost,
    origin,
    ...(after !== undefined && { after }),
    ...('reason' in run && run.reason !== undefined && { reason: run.reason }),
    attempts: run.codons.map(codon => attemptRow(codon, { run, ended, undone: context.undone })),
  }
}

/** A run that crashed says when that was noticed; what it did last is nearer to the truth. */
function endOf(run: RunState, now: number): number {
  if (run.status === 'running') return now
  if (run.status !== 'crashed') return Date.parse(run.endTime)
  const ends = run.codons.map(codon => Date.parse('endTime' in codon ? codon.endTime : codon.startTime))
  return Math.max(Date.parse(run.startTime), ...ends)
}

interface AttemptContext {
  readonly run: RunState
  readonly ended: number
  readonly undone: ReadonlySet<string>
}

function attemptRow(codon: CodonExecution, { run, ended, undone }: AttemptContext): ReportAttempt {
  const { codonId, codonName, attempt, status, model, loopContext, startTime, cost, tokens } = codon
  const end = 'endTime' in codon ? Date.parse(codon.endTime) : ended
  return {
    codonId,
    codonName,
    attempt,
    status,
    model,
    ...(loopContext && { loop: { id: loopContext.loopId, iteration: loopContext.iteration } }),
    fromMs: span(run.startTime, Date.parse(startTime)),
    durationMs: span(startTime, end),
    cost,
    isCostUnknown: codon.costUnknown === true,
    tokens: tokenClasses(tokens),
    ...reasonOf(codon),
    isUndone: undone.has(`${run.runId} ${codonId}`),
  }
}

function reasonOf(codon: CodonExecution): { readonly reason?: string } {
  if (codon.status === 'failed') return { reason: codon.failureReason.message ?? codon.failureReason.type }
  const breach = 'budgetExceeded' in codon ? codon.budgetExceeded : undefined
  if (!breach) return {}
  return { reason: `Stopped by budget: ${breachAmounts(breach)} (${breach.scope})` }
}

function tokenClasses(counts: TokenCounts): TokenClasses {
  return {
    input: counts.inputTokens,
    cacheWrite: counts.cacheCreationTokens,
    cacheRead: counts.cacheReadTokens,
    output: counts.outputTokens,
  }
}

function span(from: string, to: number): number {
  return Math.max(0, to - Date.parse(from))
}
