import type { Harness } from '../harness/index.ts'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { type CodonTask, runCodon } from './codon.ts'
import type { Recorder } from './record.ts'

export interface RunOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly harness: Harness
  readonly clock: Clock
  readonly agentRoot: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export type RunEnd = 'completed' | 'failed'

/** Runs a plan from its first codon to its last, or to the first that fails. */
export async function run(options: RunOptions): Promise<RunEnd> {
  const { plan, journal, recorder, clock } = options
  const runId = createId('run')
  const began = clock.monotonic()
  const startTime = clock.now().toISOString()
  const gitBranch = `run-${runId}`
  const startedFrom = { type: 'fresh' } as const
  recorder.record({ type: 'RunStarted', data: { runId, startTime, gitBranch, startedFrom } })
  const outline = plan.items.map(({ id, name, model }) => ({ id, name, model }))
  journal.append('run.started', {
    runId,
    startTime,
    gitBranch,
    startedFrom,
    hankName: plan.hankName,
    outline,
  })

  const failure = await runItems(options)
  const endTime = clock.now().toISOString()
  if (failure === undefined)
    recorder.record({ type: 'RunCompleted', data: { runId, endTime, outcome: 'completed' } })
  else recorder.record({ type: 'RunFailed', data: { runId, endTime, reason: failure } })
  const status = failure === undefined ? 'completed' : 'failed'
  journal.append('run.completed', {
    runId,
    status,
    ...(failure === undefined ? {} : { reason: failure }),
    totalCost: recorder.state.totalCost,
    duration: clock.monotonic() - began,
    codons: summaries(recorder),
  })
  journal.append('server.idle', { reason: 'all-codons-completed', message: 'The hank has ended.' })
  journal.flush()
  return status
}

/** Undefined when all went well, otherwise why it did not. */
async function runItems(options: RunOptions): Promise<string | undefined> {
  const { plan, journal, recorder } = options
  const shared: Omit<CodonTask, 'codon'> = {
    ...options,
    record: transition => void recorder.record(transition),
    tell: ({ type, data }) => void journal.append(type, data),
  }
  for (const codon of plan.items) {
    const outcome = await runCodon({ ...shared, codon })
    if (outcome.status === 'failed') return `${codon.id}: ${outcome.reason.message ?? outcome.reason.type}`
  }
  return undefined
}

function summaries({ state }: Recorder) {
  const codons = state.runs.at(-1)?.codons ?? []
  return codons.map(codon => ({
    codonId: codon.codonId,
    codonName: codon.codonName,
    status: codon.status,
    attempts: codon.attempt,
    cost: codon.cost,
    duration: 'endTime' in codon ? Date.parse(codon.endTime) - Date.parse(codon.startTime) : 0,
  }))
}
