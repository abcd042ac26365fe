import {
  type CodonExecution,
  type CodonStatus,
  currentRun,
  emptyState,
  type LiveCodonStatus,
  type RunState,
  reduce,
  type SentinelState,
  type TokenCounts,
  type Transition,
  type TransitionData,
  type WeaveState,
} from '../src/index.ts'

/** Transitions of an ordinary day, and the states they lead to. */

export const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString()
export const noTokens = tokens(0, 0)

export function tokens(inputTokens: number, outputTokens: number): TokenCounts {
  return { inputTokens, outputTokens, cacheCreationTokens: 0, cacheReadTokens: 0 }
}

export function runStarted(runId = 'r1', from: RunState['startedFrom'] = { type: 'fresh' }): Transition {
  return {
    type: 'RunStarted',
    data: { runId, startTime: at(0), gitBranch: `run-${runId}`, startedFrom: from },
  }
}

export function runCompleted(runId = 'r1', outcome: 'completed' | 'stopped' = 'completed'): Transition {
  return { type: 'RunCompleted', data: { runId, endTime: at(50), outcome } }
}

export function runFailed(runId = 'r1', reason = 'draft failed'): Transition {
  return { type: 'RunFailed', data: { runId, endTime: at(50), reason } }
}

export function runCrashed(runId = 'r1'): Transition {
  return { type: 'RunCrashed', data: { runId, endTime: at(55) } }
}

export function codonStarted(codonId = 'draft', attempt = 1): Transition<'CodonStarted'> {
  return {
    type: 'CodonStarted',
    data: { codonId, codonName: `The ${codonId}`, attempt, startTime: at(1), model: 'opus' },
  }
}

type Target = TransitionData<'CodonTransitioned'>['to']

/** A move with the least data its target asks for. */
export function moved(to: Target, codonId = 'draft'): Transition<'CodonTransitioned'> {
  return { type: 'CodonTransitioned', data: moveData(to, codonId) }
}

function moveData(to: Target, codonId: string): TransitionData<'CodonTransitioned'> {
  switch (to) {
    case 'running':
      return { codonId, to, sessionId: 's1' }
    case 'completed':
      return { codonId, to, endTime: at(9), exitStatus: { type: 'success' } }
    case 'failed':
      return {
        codonId,
        to,
        endTime: at(9),
        exitStatus: { type: 'error', code: 1 },
        failureReason: { type: 'api-error', retriable: true },
      }
    case 'skipped':
      return { codonId, to, endTime: at(9) }
    default:
      return { codonId, to }
  }
}

const road: readonly Target[] = ['starting', 'initializing', 'running', 'completing-sentinels']

/** From the start of a codon to that status, on the shortest road. */
export function toStatus(status: CodonStatus, codonId = 'draft', attempt = 1): readonly Transition[] {
  const started = codonStarted(codonId, attempt)
  if (status === 'failed' || status === 'skipped') return [started, moved(status, codonId)]
  const steps = status === 'completed' ? [...road, status] : road.slice(0, road.indexOf(status as Target) + 1)
  return [started, ...steps.map(to => moved(to, codonId))]
}

export function cost(dollars: number, codonId = 'draft', used = noTokens): Transition {
  return { type: 'CostsIncremented', data: { codonId, cost: dollars, tokens: used } }
}

export function sentinelStates(costs: readonly number[], codonId = 'draft'): Transition {
  const sentinels = costs.map(
    (spent, n): SentinelState => ({
      sentinelId: `watcher-${n}`,
      status: 'loaded',
      cost: spent,
      tokens: { input: 10, output: 2 },
      llmCallCount: 1,
      triggerCount: 1,
    }),
  )
  return { type: 'SentinelStatesUpdated', data: { codonId, sentinels } }
}

export function folded(...transitions: readonly Transition[]): WeaveState {
  return after(emptyState, ...transitions)
}

export function after(state: WeaveState, ...transitions: readonly Transition[]): WeaveState {
  return transitions.reduce((before, transition) => {
    const step = reduce(before, transition)
    if (!step.ok) throw new Error(`${transition.type} refused: ${step.reason}`)
    return step.state
  }, state)
}

/** A run whose codon `draft` has that status. */
export function withCodon(status: CodonStatus): WeaveState {
  return folded(runStarted(), ...toStatus(status))
}

export function lastCodon(state: WeaveState): CodonExecution {
  const codon = currentRun(state)?.codons.at(-1)
  if (!codon) throw new Error('the state has no codon')
  return codon
}

export function refusal(state: WeaveState, transition: Transition): string {
  const step = reduce(state, transition)
  if (step.ok) throw new Error(`${transition.type} was accepted`)
  return step.reason
}

export const liveStatuses: readonly LiveCodonStatus[] = [
  'preparing',
  'starting',
  'initializing',
  'running',
  'completing-sentinels',
]
