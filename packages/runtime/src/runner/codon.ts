import type { EventData, FailureReason, ProcessExit, Transition } from '@weave/protocol'
import type { Harness, HarnessEvent } from '../harness/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Plan, PlannedCodon } from '../plan/index.ts'
import { codonPrompt } from './codon-prompt.ts'
import { narrate, type Told } from './narrate.ts'

/** How a codon came out. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly reason: FailureReason }

export interface CodonTask {
  readonly plan: Plan
  readonly codon: PlannedCodon
  readonly agentRoot: string
  readonly env: Readonly<Record<string, string>>
  readonly harness: Harness
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The only way out: what is reported here is recorded and told in this order. */
  readonly record: (transition: Transition) => void
  readonly tell: (told: Told) => void
}

/** One codon as a straight line of phases. Touches no state: it reports and returns how it ended. */
export async function runCodon(task: CodonTask): Promise<Outcome> {
  const { codon, clock, record, tell } = task
  const codonId = codon.id
  const startTime = clock.now().toISOString()
  const began = clock.monotonic()
  record({
    type: 'CodonStarted',
    data: { codonId, codonName: codon.name, attempt: 1, startTime, model: codon.model },
  })
  record({ type: 'CodonTransitioned', data: { codonId, to: 'starting' } })
  const end = await runAgent(task, startTime)
  const cost = end.dollars
  const endTime = clock.now().toISOString()
  const outcome: Outcome = end.failure ? { status: 'failed', reason: end.failure } : { status: 'completed' }
  if (outcome.status === 'failed') {
    record({
      type: 'CodonTransitioned',
      data: { codonId, to: 'failed', endTime, exitStatus: end.exit, failureReason: outcome.reason },
    })
  } else {
    record({ type: 'CodonTransitioned', data: { codonId, to: 'completing-sentinels' } })
    record({ type: 'CodonTransitioned', data: { codonId, to: 'completed', endTime, exitStatus: end.exit } })
  }
  tell({
    type: 'codon.completed',
    data: completed(codonId, outcome, { cost, duration: clock.monotonic() - began, exit: end.exit }),
  })
  return outcome
}

interface AgentEnd {
  readonly exit: ProcessExit
  readonly failure?: FailureReason
  readonly dollars: number
}

async function runAgent(task: CodonTask, startTime: string): Promise<AgentEnd> {
  const { plan, codon, harness, agentRoot, env, signal, record, tell } = task
  const codonId = codon.id
  const texts = await codonPrompt(plan, codon, agentRoot)
  if (!texts.ok) return unprompted(texts.message)
  record({ type: 'CodonTransitioned', data: { codonId, to: 'initializing' } })
  const { ok: _ok, ...prompts } = texts
  let dollars = 0
  for await (const event of harness.start(
    { codonId, model: codon.model, ...prompts, cwd: agentRoot, env },
    signal,
  )) {
    for (const told of narrate(codonId, event)) tell(told)
    if (event.type === 'session') begin(task, event.sessionId, startTime)
    if (event.type === 'usage') dollars = charge(task, event, dollars)
    if (event.type === 'ended') return ending(event, dollars)
  }
  throw new Error('the harness broke its promise: no `ended` event')
}

function unprompted(message: string): AgentEnd {
  return {
    exit: { type: 'error', code: 1 },
    failure: { type: 'unknown', retriable: false, message },
    dollars: 0,
  }
}

function begin({ codon, record, tell }: CodonTask, sessionId: string, startTime: string): void {
  record({ type: 'CodonTransitioned', data: { codonId: codon.id, to: 'running', sessionId } })
  const { id: codonId, name: codonName, description } = codon
  const described = description === undefined ? {} : { codonDescription: description }
  tell({ type: 'codon.started', data: { codonId, codonName, ...described, sessionId, startTime } })
}

function charge(
  { codon, record, tell }: CodonTask,
  event: HarnessEvent & { type: 'usage' },
  soFar: number,
): number {
  const total = soFar + (event.dollars ?? 0)
  const unpriced = event.dollars === undefined ? { costUnknown: true as const } : {}
  record({
    type: 'CostsIncremented',
    data: { codonId: codon.id, cost: event.dollars ?? 0, tokens: event.tokens, ...unpriced },
  })
  tell({ type: 'token.usage', data: { codonId: codon.id, ...event.tokens, totalCost: total } })
  return total
}

function ending({ end }: HarnessEvent & { type: 'ended' }, dollars: number): AgentEnd {
  if (end.ok) return { exit: { type: 'success' }, dollars }
  return { exit: end.exit, failure: end.reason, dollars }
}

function completed(
  codonId: string,
  outcome: Outcome,
  { cost, duration, exit }: { readonly cost: number; readonly duration: number; readonly exit: ProcessExit },
): EventData<'codon.completed'> {
  const failure = outcome.status === 'failed' ? { failureReason: outcome.reason } : {}
  return { codonId, success: outcome.status === 'completed', cost, duration, exitStatus: exit, ...failure }
}
