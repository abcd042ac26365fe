import { type CodonExecution, originOf, type RunState, type WeaveState } from '@weave/protocol'
import type { Failure, Refused } from '../kit/index.ts'
import { codonAt, codonNamed, type Plan, planDifferences, plannedCodons, start } from '../plan/index.ts'
import { type AdoptionVerdict, adoption, goesOnWith } from '../runner/index.ts'

export type StartedFrom = RunState['startedFrom']

export interface TakeoverQuestion {
  /** In force at the point of the fork first, then those before it. */
  readonly plans: readonly Plan[]
  readonly next: Plan
  /** As it was at the point of the fork. */
  readonly state: WeaveState
  readonly startedFrom: StartedFrom
}

export type Takeover =
  | {
      readonly ok: true
      /** What the next start begins with; undefined: nothing is left to do. */
      readonly entry?: { readonly codonId: string; readonly model: string } | undefined
      /** Codons that have run and are different in the new plan. */
      readonly differing: readonly string[]
    }
  | Refused<Failure>

/** Whether a plan may go on where an execution was at a checkpoint: the rule of adoption, asked of that moment. Pure. */
export function mayTakeOver({ plans, next, state, startedFrom }: TakeoverQuestion): Takeover {
  const [before = next] = plans
  const verdict = adoption({
    before,
    next,
    state: withRun(state, startedFrom),
    identityOf: record => identityIn(plans, record),
  })
  if (!verdict.ok) return refusal(verdict.message, { next, state, startedFrom })
  const changed = new Set(planDifferences(before, next).map(({ owner }) => owner))
  const differing = verdict.kept.filter(id => changed.has(`codon ${id.replace(/#\d+$/, '')}`))
  return { ok: true, differing, entry: entryOf(verdict) }
}

function entryOf({ entry }: Extract<AdoptionVerdict, { readonly ok: true }>) {
  return entry && { codonId: entry.runtimeId, model: entry.codon.model.id }
}

/** The same for the plan that is there. */
export function goesOn(plan: Plan, state: WeaveState, startedFrom: StartedFrom) {
  const next = goesOnWith(plan, state, startedFrom)
  return next && { codonId: next.at.runtimeId, model: next.at.codon.model.id }
}

/** The state as it will be when the run of the fork is open. */
function withRun(state: WeaveState, startedFrom: StartedFrom): WeaveState {
  const run: RunState = {
    runId: '',
    startTime: '',
    gitBranch: '',
    startedFrom,
    codons: [],
    cost: 0,
    status: 'running',
  }
  return { ...state, currentRunId: '', runs: [...state.runs, run] }
}

function identityIn(plans: readonly Plan[], { codonId, model }: CodonExecution): string | undefined {
  return plans.map(plan => codonNamed(plan, codonId)?.codon.model).find(found => found?.id === model)
    ?.identity
}

const mostNamed = 6

function refusal(
  reason: string,
  { next, state, startedFrom }: Pick<TakeoverQuestion, 'next' | 'state' | 'startedFrom'>,
): Refused<Failure> {
  const { kept } = originOf(state, startedFrom)
  const ran = [...new Set(kept.map(({ codonId }) => codonId))]
  const planned = plannedCodons(next).map(({ id }) => id)
  const first = codonAt(next, start)?.runtimeId ?? ''
  return {
    ok: false,
    message: `The hank cannot take over after ${ran.at(-1) ?? 'the beginning'}: here ${listed(ran) || 'nothing'} ${ran.length === 1 ? 'has' : 'have'} run; it begins with ${listed(planned.slice(0, Math.max(2, ran.length))) || first}.`,
    cure: `${reason} Fork earlier, or give it a hank that begins in the same way.`,
  }
}

function listed(ids: readonly string[]): string {
  const shown = ids.length > mostNamed ? ['…', ...ids.slice(-mostNamed)] : ids
  return shown.join(', ')
}
