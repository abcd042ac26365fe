import type { CodonExecution, RunState, WeaveState } from '@weave/protocol'

/** States for tests of the parts that only read them. */

const time = '2026-01-01T00:00:00.000Z'
const tokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

type Common = Pick<CodonExecution, 'attempt' | 'checkpoints'> & { readonly sessionId: string }

function common(codonId: string, { attempt = 1, checkpoints = {}, sessionId }: Partial<Common>) {
  return {
    codonId,
    codonName: codonId,
    startTime: time,
    attempt,
    model: 'm',
    cost: 0,
    tokens,
    assistantMessageCount: 0,
    extensionCount: 0,
    checkpoints,
    ...(sessionId !== undefined && { sessionId }),
  }
}

export function completed(
  id: string,
  { contextExceeded, ...more }: Partial<Common> & { readonly contextExceeded?: boolean } = {},
): CodonExecution {
  return {
    ...common(id, more),
    status: 'completed',
    endTime: time,
    exitStatus: { type: 'success' },
    ...(contextExceeded !== undefined && { contextExceeded }),
  }
}

export function skipped(id: string, more: Partial<Common> = {}): CodonExecution {
  return { ...common(id, more), status: 'skipped', endTime: time }
}

type Failed = CodonExecution & { readonly status: 'failed' }

export function failed(
  id: string,
  {
    retriable = true,
    type = 'api-error',
    exitStatus = { type: 'error', code: 1 },
    failedDuring = 'running',
    ...more
  }: Partial<Common & Pick<Failed, 'exitStatus' | 'failedDuring'> & Failed['failureReason']> = {},
): CodonExecution {
  const failureReason = { type, retriable, message: 'it went wrong' }
  return { ...common(id, more), status: 'failed', endTime: time, exitStatus, failureReason, failedDuring }
}

/** As a crash, a shutdown or a stop by force leaves it. */
export function killed(id: string, more: Partial<Common> = {}): CodonExecution {
  return failed(id, { ...more, type: 'unknown', exitStatus: { type: 'killed', signal: 'SIGTERM' } })
}

export function live(id: string): CodonExecution {
  return {
    ...common(id, { sessionId: `session of ${id}` }),
    status: 'running',
    sessionId: `session of ${id}`,
  }
}

export function runOf(
  runId: string,
  codons: readonly CodonExecution[],
  startedFrom: RunState['startedFrom'] = { type: 'fresh' },
): RunState {
  const base = { runId, startTime: time, gitBranch: `run-${runId}`, startedFrom, codons, cost: 0 }
  return { ...base, status: 'running' }
}

/** The same run after its end. */
export function endedRun(run: RunState, status: 'completed' | 'stopped' | 'crashed'): RunState {
  return { ...run, status, endTime: time }
}

/** The last run is the present one. */
export function stateOf(...runs: readonly RunState[]): WeaveState {
  return { currentRunId: runs.at(-1)?.runId ?? null, runs, totalCost: 0 }
}
