import type { ExecutionRow, ReportAttempt, ReportRun } from 'weave-client'

/** Attempts, runs and rows with what a test says of them; the rest is ordinary. */

export function attempt(codonId: string, given: Partial<ReportAttempt> = {}): ReportAttempt {
  return {
    codonId,
    codonName: codonId.toUpperCase(),
    attempt: 1,
    status: 'completed',
    model: 'sonnet',
    fromMs: 0,
    durationMs: 1_000,
    cost: 0.5,
    isCostUnknown: false,
    isUndone: false,
    tokens: { input: 1, cacheWrite: 0, cacheRead: 0, output: 1 },
    ...given,
  }
}

export function run(runId: string, attempts: readonly ReportAttempt[]): ReportRun {
  return {
    runId,
    status: 'completed',
    startTime: '2026-01-01T00:00:00.000Z',
    durationMs: 10_000,
    attempts,
  } as unknown as ReportRun
}

export const beginning = Date.parse('2026-01-01T00:00:00.000Z')

export function row(name: string, given: Partial<ExecutionRow> = {}): ExecutionRow {
  return {
    name,
    hank: 'guide',
    data: 'notes',
    status: 'completed',
    live: false,
    codonsDone: 1,
    codons: 2,
    cost: 1,
    costUnknown: false,
    sentinelCost: 0,
    startedAt: '2026-01-01T00:00:00.000Z',
    warnings: 0,
    breaches: 0,
    rehearsal: false,
    ...given,
  }
}
