import type { CodonExecution, RunState, StateSummary, WeaveState } from './state.ts'
import type { Transition, TransitionData, TransitionType } from './transitions.ts'
import type { CodonStatus, LiveCodonStatus, SentinelState, TokenCounts } from './values.ts'

/**
 * The only place that computes a state.
 *
 * - **S1** Pure: the same state and transition always give the same answer; the given state is never touched.
 * - **S2** An illegal transition is refused with a reason and changes nothing.
 * - **S3** At most one run is running, and it is the last; at most one codon is live, and it is the last of that run.
 * - **S4** A run that has ended has no live codon: a crash ends its codon as failed.
 * - **S5** `totalCost` is the sum over runs, a run's `cost` the sum over its codons and their sentinels.
 */
export type Reduction =
  | { readonly ok: true; readonly state: WeaveState }
  | { readonly ok: false; readonly reason: string }

export function reduce(state: WeaveState, transition: Transition): Reduction {
  const result = apply(state, transition)
  return typeof result === 'string' ? { ok: false, reason: result } : { ok: true, state: result }
}

export function summarize(state: WeaveState): StateSummary {
  return {
    currentRunId: state.currentRunId,
    runCount: state.runs.length,
    totalCost: state.totalCost,
    currentRunCost: state.runs.at(-1)?.cost ?? 0,
  }
}

export function currentRun(state: WeaveState): RunState | undefined {
  return state.runs.at(-1)
}

/** The codon that runs now, in any of its phases. */
export function liveCodon(state: WeaveState): LiveCodon | undefined {
  const last = currentRun(state)?.codons.at(-1)
  return last && isLive(last) ? last : undefined
}

export type LiveCodon = Extract<CodonExecution, { status: LiveCodonStatus }>

export function isLive(codon: CodonExecution): codon is LiveCodon {
  return codon.status !== 'completed' && codon.status !== 'failed' && codon.status !== 'skipped'
}

/** Which statuses may follow which. `completed` straight from `preparing` is for a codon that its budget never let start. */
export const codonMoves: Readonly<Record<CodonStatus, readonly CodonStatus[]>> = {
  preparing: ['starting', 'completed', 'failed', 'skipped'],
  starting: ['initializing', 'completing-sentinels', 'failed', 'skipped'],
  initializing: ['running', 'completing-sentinels', 'failed', 'skipped'],
  running: ['completing-sentinels', 'failed', 'skipped'],
  'completing-sentinels': ['completed', 'failed', 'skipped'],
  completed: [],
  failed: [],
  skipped: [],
}

/** A new state, or the reason why the transition is not legal now. */
type Applied = WeaveState | string
type Reducers = { readonly [T in TransitionType]: (state: WeaveState, data: TransitionData<T>) => Applied }

const reducers: Reducers = {
  RunStarted(state, data) {
    if (currentRun(state)?.status === 'running') return `run ${state.currentRunId} has not ended`
    if (state.runs.some(run => run.runId === data.runId)) return `run ${data.runId} exists already`
    const run: RunState = { ...data, status: 'running', codons: [], cost: 0 }
    return { ...state, currentRunId: data.runId, runs: [...state.runs, run] }
  },

  RunCompleted(state, { runId, endTime, outcome, reason }) {
    return endRun(state, runId, run =>
      outcome === 'completed'
        ? { ...run, status: 'completed', endTime }
        : { ...run, status: 'stopped', endTime, ...(reason === undefined ? {} : { reason }) },
    )
  },

  RunFailed(state, { runId, endTime, reason }) {
    return endRun(state, runId, run => ({ ...run, status: 'failed', endTime, reason }))
  },

  RunCrashed(state, { runId, endTime }) {
    return onRun(state, runId, run => {
      const last = run.codons.at(-1)
      const codons = last && isLive(last) ? [...run.codons.slice(0, -1), crashed(last, endTime)] : run.codons
      return { ...run, codons, status: 'crashed', endTime }
    })
  },

  CodonStarted(state, data) {
    const live = liveCodon(state)
    if (live) return `codon ${live.codonId} has not ended`
    return onRun(state, state.currentRunId, run => {
      const earlier = run.codons.findLast(codon => codon.codonId === data.codonId)
      if (data.attempt !== 1 && data.attempt !== (earlier?.attempt ?? 0) + 1) {
        return `attempt ${data.attempt} of ${data.codonId} does not follow attempt ${earlier?.attempt ?? 0}`
      }
      return { ...run, codons: [...run.codons, firstRecord(data)] }
    })
  },

  CodonTransitioned(state, data) {
    const live = liveCodon(state)
    if (live?.codonId !== data.codonId) return `codon ${data.codonId} is not running`
    if (!codonMoves[live.status].includes(data.to))
      return `${data.codonId} cannot go from ${live.status} to ${data.to}`
    if (live.status === 'preparing' && data.to === 'completed' && !data.budgetExceeded) {
      return `${data.codonId} cannot be completed before it started, unless a budget stopped it`
    }
    return onCodon(state, data.codonId, codon => (isLive(codon) ? moved(codon, data) : codon))
  },

  CostsUpdated(state, { codonId, cost, tokens, costUnknown }) {
    return onCodon(state, codonId, codon => ({ ...codon, cost, tokens, ...unknown(codon, costUnknown) }))
  },

  CostsIncremented(state, { codonId, cost, tokens, costUnknown }) {
    return onCodon(state, codonId, codon => ({
      ...codon,
      cost: codon.cost + cost,
      tokens: addTokens(codon.tokens, tokens),
      ...unknown(codon, costUnknown),
    }))
  },

  CodonFinalCostSet(state, { codonId, cost, tokens, costUnknown }) {
    return onCodon(state, codonId, ({ costUnknown: _was, ...codon }) => ({
      ...codon,
      cost,
      tokens: tokens ?? codon.tokens,
      ...(costUnknown ? { costUnknown } : {}),
    }))
  },

  AssistantMessageCountUpdated(state, { codonId, count, extensionCount }) {
    return onCodon(state, codonId, codon => {
      const extensions = extensionCount ?? codon.extensionCount
      if (count < codon.assistantMessageCount || extensions < codon.extensionCount) {
        return `counts of ${codonId} cannot go back`
      }
      return { ...codon, assistantMessageCount: count, extensionCount: extensions }
    })
  },

  CheckpointCreated(state, { codonId, checkpointType, sha }) {
    return onCodon(state, codonId, codon =>
      codon.checkpoints[checkpointType] !== undefined
        ? `${codonId} has a ${checkpointType} checkpoint already`
        : { ...codon, checkpoints: { ...codon.checkpoints, [checkpointType]: sha } },
    )
  },

  InitialCheckpointSet(state, { runId, sha }) {
    return onRun(state, runId, run => {
      if (run.initialCheckpoint !== undefined) return `run ${runId} has its initial checkpoint already`
      if (run.codons.length > 0) return `run ${runId} has started codons already`
      return { ...run, initialCheckpoint: sha }
    })
  },

  SentinelStatesUpdated(state, { codonId, sentinels }) {
    return onCodon(state, codonId, codon => ({ ...codon, sentinels }))
  },
}

function apply<T extends TransitionType>(state: WeaveState, transition: Transition<T>): Applied {
  const reducer: (state: WeaveState, data: TransitionData<T>) => Applied = reducers[transition.type]
  return reducer(state, transition.data)
}

function onRun(
  state: WeaveState,
  runId: string | null,
  change: (run: RunState & { status: 'running' }) => RunState | string,
): Applied {
  const run = currentRun(state)
  if (run?.status !== 'running') return 'no run is running'
  if (run.runId !== runId) return `run ${runId} is not the running one`
  const next = change(run)
  if (typeof next === 'string') return next
  return {
    ...state,
    runs: [...state.runs.slice(0, -1), next],
    totalCost: money(state.totalCost + (next.cost - run.cost)),
  }
}

function endRun(
  state: WeaveState,
  runId: string,
  end: (run: RunState & { status: 'running' }) => RunState,
): Applied {
  const live = liveCodon(state)
  return live ? `codon ${live.codonId} has not ended` : onRun(state, runId, end)
}

/** Changes the newest record of a codon in the running run and keeps the sums true (S5). */
function onCodon(
  state: WeaveState,
  codonId: string,
  change: (codon: CodonExecution) => CodonExecution | string,
): Applied {
  return onRun(state, state.currentRunId, run => {
    const index = run.codons.findLastIndex(codon => codon.codonId === codonId)
    const codon = run.codons[index]
    if (!codon) return `codon ${codonId} has not started in this run`
    const next = change(codon)
    if (typeof next === 'string') return next
    return {
      ...run,
      codons: run.codons.with(index, next),
      cost: money(run.cost + (spend(next) - spend(codon))),
    }
  })
}

function firstRecord(data: TransitionData<'CodonStarted'>): CodonExecution {
  const tokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }
  const counters = { cost: 0, tokens, assistantMessageCount: 0, extensionCount: 0, checkpoints: {} }
  return { ...data, ...counters, status: 'preparing' }
}

function moved(codon: LiveCodon, data: TransitionData<'CodonTransitioned'>): CodonExecution {
  const { codonId: _id, to, ...change } = data
  const session = 'sessionId' in codon && codon.sessionId !== undefined ? { sessionId: codon.sessionId } : {}
  const { sessionId: _session, ...record } = { sessionId: undefined, ...codon }
  const failedDuring = to === 'failed' ? { failedDuring: codon.status } : {}
  // The union of `data` and the table of moves guarantee that the fields fit the status.
  return { ...record, ...session, ...change, ...failedDuring, status: to } as CodonExecution
}

function crashed(codon: LiveCodon, endTime: string): CodonExecution {
  return moved(codon, {
    codonId: codon.codonId,
    to: 'failed',
    endTime,
    exitStatus: { type: 'killed', signal: 'SIGKILL' },
    failureReason: {
      type: 'unknown',
      retriable: true,
      message: 'The server ended while this codon was running.',
    },
  })
}

function spend(codon: CodonExecution): number {
  return (codon.sentinels ?? []).reduce(
    (sum: number, sentinel: SentinelState) => sum + sentinel.cost,
    codon.cost,
  )
}

/** Sums of money are kept to a trillionth of a dollar, so that adding and taking back leaves no dust. */
function money(sum: number): number {
  return Math.max(0, Math.round(sum * 1e12) / 1e12)
}

function unknown(codon: CodonExecution, costUnknown: true | undefined): { costUnknown?: true } {
  return costUnknown || codon.costUnknown ? { costUnknown: true } : {}
}

function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  }
}
