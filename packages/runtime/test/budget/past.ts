import {
  type BudgetBreach,
  currentRun,
  emptyState,
  reduce,
  type SentinelState,
  type TokenCounts,
  type Transition,
  type WeaveState,
} from '@weave/protocol'
import type { PlannedCodonAt } from '../../src/plan/index.ts'

/** What became of an attempt; whatever is not said is nothing. */
export interface Deed {
  readonly cost?: number
  readonly costUnknown?: boolean
  readonly seconds?: number
  readonly tokens?: Partial<TokenCounts>
  readonly sentinels?: readonly Pick<SentinelState, 'sentinelId' | 'cost' | 'costUnknown'>[]
  readonly ends?: 'completed' | 'skipped' | 'failed'
  readonly budgetExceeded?: BudgetBreach
}

/** An execution as its state remembers it, made of real transitions. Time passes only in codons and while waiting. */
export interface Past {
  readonly state: WeaveState
  /** Milliseconds since 1970. */
  readonly now: number
  /** Opens a run, after the one before it was closed. */
  run(): string
  /** Closes the run. */
  close(): void
  attempt(step: Pick<PlannedCodonAt, 'runtimeId' | 'loop' | 'position' | 'codon'>, deed?: Deed): void
  /** Begins an attempt at a codon, spends `cost`, crashes after `seconds`, and notices it after `noticed` more. */
  crash(
    step: PlannedCodonAt,
    deed: { readonly cost: number; readonly seconds: number; readonly noticed: number },
  ): void
  /** Begins an attempt that goes on. */
  begin(step: PlannedCodonAt, deed?: Deed): void
  /** A codon of this run cost something else in the end; it may have ended long ago. */
  bill(step: PlannedCodonAt, cost: number): void
  /** The run crashes while no codon is at work; somebody notices now. */
  crashBetween(): void
  wait(seconds: number): void
}

export function createPast(): Past {
  let state = emptyState
  let now = Date.parse('2026-01-01T00:00:00.000Z')
  const iso = () => new Date(now).toISOString()
  const record = (transition: Transition): void => {
    const reduction = reduce(state, transition)
    if (!reduction.ok) throw new Error(reduction.reason)
    state = reduction.state
  }
  const begin = ({ runtimeId, loop, position, codon }: Parameters<Past['attempt']>[0]): void => {
    const earlier = currentRun(state)?.codons.findLast(({ codonId }) => codonId === runtimeId)
    const again = earlier?.status === 'failed' ? earlier.attempt + 1 : 1
    const inLoop = loop && {
      loopContext: { loopId: loop.id, iteration: position.iteration, codonIndexInLoop: position.index },
    }
    const data = { codonId: runtimeId, codonName: codon.name, attempt: again, startTime: iso(), ...inLoop }
    record({ type: 'CodonStarted', data: { ...data, model: codon.model.id } })
  }
  const charge = (codonId: string, { cost = 0, costUnknown, tokens }: Deed): void => {
    const unknown = costUnknown ? { costUnknown: true as const } : {}
    record({ type: 'CostsUpdated', data: { codonId, cost, tokens: { ...noTokens, ...tokens }, ...unknown } })
  }
  const crashed = (): void =>
    record({ type: 'RunCrashed', data: { runId: state.currentRunId ?? '', endTime: iso() } })
  return {
    get state() {
      return state
    },
    get now() {
      return now
    },
    run() {
      const runId = `r${state.runs.length}`
      const from = state.runs.at(-1)
      const startedFrom = from
        ? ({ type: 'continuation', runId: from.runId } as const)
        : ({ type: 'fresh' } as const)
      record({ type: 'RunStarted', data: { runId, startTime: iso(), gitBranch: runId, startedFrom } })
      return runId
    },
    close() {
      const runId = state.currentRunId ?? ''
      record({ type: 'RunCompleted', data: { runId, endTime: iso(), outcome: 'completed' } })
    },
    attempt(step, deed = {}) {
      const { runtimeId: codonId } = step
      begin(step)
      charge(codonId, deed)
      if (deed.sentinels)
        record({ type: 'SentinelStatesUpdated', data: { codonId, sentinels: deed.sentinels.map(observer) } })
      now += (deed.seconds ?? 0) * 1000
      for (const transition of endOf(codonId, iso(), deed)) record(transition)
    },
    crash(step, { cost, seconds, noticed }) {
      begin(step)
      charge(step.runtimeId, { cost })
      now += (seconds + noticed) * 1000
      crashed()
    },
    begin(step, deed = {}) {
      begin(step)
      charge(step.runtimeId, deed)
    },
    bill(step, cost) {
      record({ type: 'CodonFinalCostSet', data: { codonId: step.runtimeId, cost } })
    },
    crashBetween: crashed,
    wait(seconds) {
      now += seconds * 1000
    },
  }
}

const noTokens: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

function observer(given: Pick<SentinelState, 'sentinelId' | 'cost' | 'costUnknown'>): SentinelState {
  return { ...given, status: 'unloaded', tokens: { input: 10, output: 1 }, llmCallCount: 1, triggerCount: 1 }
}

function endOf(codonId: string, endTime: string, deed: Deed): readonly Transition<'CodonTransitioned'>[] {
  const { ends: to = 'completed', budgetExceeded } = deed
  const end = { codonId, endTime, ...(budgetExceeded && { budgetExceeded }) }
  const move = (data: Transition<'CodonTransitioned'>['data']) =>
    ({ type: 'CodonTransitioned', data }) as const
  if (to === 'skipped') return [move({ ...end, to })]
  if (to === 'failed') {
    const failureReason = { type: 'api-error', retriable: true, message: 'overloaded' } as const
    return [move({ ...end, to, exitStatus: { type: 'error', code: 1 }, failureReason })]
  }
  return [
    move({ codonId, to: 'starting' }),
    move({ codonId, to: 'completing-sentinels' }),
    move({ ...end, to, exitStatus: { type: 'success' } }),
  ]
}
