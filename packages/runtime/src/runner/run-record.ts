import type { CodonExecution, EventData, RunState, Transition } from '@weave/protocol'
import { budgetUse, type TimeNotes } from '../budget/index.ts'
import type { Plan } from '../plan/index.ts'

/** The words that open and close a run. Pure. */

export type StartedFrom = RunState['startedFrom']

export function runStarted(
  runId: string,
  startTime: string,
  startedFrom: StartedFrom,
): Transition<'RunStarted'> {
  return { type: 'RunStarted', data: { runId, startTime, gitBranch: `run-${runId}`, startedFrom } }
}

export function runStartedEvent(plan: Plan, { data }: Transition<'RunStarted'>): EventData<'run.started'> {
  const codon = ({
    id,
    name,
    model,
  }: {
    readonly id: string
    readonly name: string
    readonly model: { readonly id: string }
  }) => ({
    id,
    name,
    model: model.id,
  })
  const outline = plan.items.map(item =>
    item.kind === 'codon'
      ? codon(item)
      : { id: item.id, name: item.name, limit: item.limit, codons: item.codons.map(codon) },
  )
  return { ...data, hankName: plan.hankName, outline }
}

export interface RunTimes {
  /** Milliseconds. */
  readonly duration: number
  readonly notes: TimeNotes
}

export function runSummary(
  plan: Plan,
  run: RunState,
  { duration, notes }: RunTimes,
): EventData<'run.completed'> {
  const status = run.status === 'completed' || run.status === 'stopped' ? run.status : 'failed'
  const reason = 'reason' in run && run.reason !== undefined ? { reason: run.reason } : {}
  return {
    runId: run.runId,
    status,
    ...reason,
    totalCost: run.cost,
    ...(run.codons.some(codon => codon.costUnknown) && { costUnknown: true }),
    duration,
    codons: withBudgets(plan, run, notes),
  }
}

function withBudgets(plan: Plan, run: RunState, notes: TimeNotes): EventData<'run.completed'>['codons'] {
  const lines = budgetUse(plan, run, notes)
  return run.codons.map((codon, at) => {
    const budget = lines[at] ?? []
    const breach = 'budgetExceeded' in codon ? codon.budgetExceeded : undefined
    return {
      ...codonSummary(codon),
      ...(budget.length > 0 && { budget: [...budget] }),
      ...(breach && { budgetExceeded: breach }),
    }
  })
}

function codonSummary(codon: CodonExecution): EventData<'run.completed'>['codons'][number] {
  const { codonId, codonName, status, attempt, cost } = codon
  const duration =
    'endTime' in codon ? Math.max(0, Date.parse(codon.endTime) - Date.parse(codon.startTime)) : 0
  return { codonId, codonName, status, attempts: attempt, cost, duration }
}
