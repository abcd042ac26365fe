import type { FailureReason, ProcessExit } from '@weave/protocol'
import { type HarnessEvent, type HarnessSpec, watchIdle } from '../harness/index.ts'
import { after, codonAt } from '../plan/index.ts'
import type { CodonRun } from './codon-run.ts'
import { parkedAfterMs } from './decide.ts'
import { eventsFrom, type NewEvent } from './harness-events.ts'
import { createTurnStarts } from './turn-starts.ts'
import { createTally, type Tally } from './usage.ts'

type Usage = HarnessEvent & { readonly type: 'usage' }
type Waiting = HarnessEvent & { readonly type: 'waiting' }

/** How the agent's work ended, before anyone asks what that means for the codon. */
export interface AgentEnd {
  readonly ok: boolean
  readonly exit: ProcessExit
  readonly failure?: FailureReason
  readonly retryAfterMs?: number
  readonly contextFull: boolean
}

/** Lets the agent work and reports all it does. Returns when no process of it is left. */
export async function runAgent(
  task: CodonRun,
  spec: Omit<HarnessSpec, 'nextPrompt' | 'onRaw'> & { readonly exhaustWithPrompt?: string },
): Promise<AgentEnd> {
  const { at, effects, clock, stopper, record, emit } = task
  const codonId = at.runtimeId
  const tally = createTally()
  const turns = createTurnStarts(clock)
  const harness = effects.agent.harnessFor(at.codon.model)
  const log = effects.agent.sessionLog(at)
  const idle = watchIdle(clock, at.codon.idleTimeoutMs, silence => stopper.stop({ kind: 'idle', ...silence }))
  let contextFull = false
  let compacted = false
  const next = extensionsOf(task, spec.exhaustWithPrompt, () =>
    contextFull || compacted ? undefined : tally.total(),
  )
  const extend = (): string | undefined => {
    turns.handed()
    return next()
  }
  try {
    for await (const event of harness.start(
      { ...spec, nextPrompt: extend, onRaw: log.write },
      stopper.signal,
    )) {
      idle.heard(event)
      turns.heard(event)
      for (const each of eventsFrom(codonId, event)) emit(each)
      if (event.type === 'session') task.begun(event.sessionId)
      if (event.type === 'session') makeNextReady(task)
      if (event.type === 'usage') charge(task, event, { tally: tally.add(priced(task, event)), turns })
      if (event.type === 'waiting' && event.delayMs > parkedAfterMs) park(task, event)
      if (event.type === 'tool-result') effects.files.hintFiles()
      if (event.type === 'context-full') contextFull = true
      if (event.type === 'compacted' && at.codon.autoCompact) compacted = true
      if (event.type === 'ended')
        for (const cut of tally.unfinished()) emit(usageEvent(codonId, cut, { tally: tally.total(), turns }))
      // A failure after a compaction has a reason of its own: the context had room again.
      if (event.type === 'ended')
        return ended(task, event, {
          contextFull: contextFull || (compacted && event.end.ok),
          tally: tally.total(),
        })
    }
  } finally {
    idle.close()
    await log.close()
  }
  record({ type: 'AssistantMessageCountUpdated', data: { codonId, count: tally.total().messages } })
  const failure = { type: 'unknown', retriable: true, message: 'The agent ended without a result.' } as const
  return { ok: false, exit: { type: 'error', code: 1 }, failure, contextFull }
}

/**
 * So that the agent of the next codon need not be started when this one ends. What it turns out not to be for is ended by its
 * harness, as is all that nobody used in the end. A conversation that goes on needs the id that this one ends with, which the
 * program of one harness wants on its command line.
 */
function makeNextReady({ plan, at, effects, goesOn }: CodonRun): void {
  const next = codonAt(plan, after(plan, at.position))
  if (!next || !goesOn(next)) return
  const { model, continuation } = next.codon
  if (model.harness === 'sdk' && continuation === 'continue-previous') return
  effects.agent.harnessFor(model).prepare?.(effects.agent.surroundingsOf(next))
}

/** The provider makes the agent wait for long. */
function park({ at, clock, emit, budget }: CodonRun, { delayMs, reason }: Waiting): void {
  const until = new Date(clock.now().getTime() + delayMs).toISOString()
  emit({ type: 'run.parked', data: { codonId: at.runtimeId, until, reason } })
  budget.parked(delayMs)
}

/** What the harness says of a message's cost counts; otherwise its tokens at the prices of the plan. */
function priced({ at, effects }: CodonRun, event: Usage): Usage {
  if (event.dollars !== undefined || event.isUnknown) return event
  const dollars = effects.agent.costOf(at.codon.model, event.tokens, event.modelId)
  return dollars === undefined ? event : { ...event, dollars }
}

interface Accounts {
  readonly tally: Tally
  readonly turns: ReturnType<typeof createTurnStarts>
}

function charge({ at, record, emit, budget }: CodonRun, event: Usage, accounts: Accounts): void {
  const { tally } = accounts
  const codonId = at.runtimeId
  const unpriced = tally.costUnknown ? { costUnknown: true as const } : {}
  record({ type: 'CostsUpdated', data: { codonId, cost: tally.cost, tokens: tally.tokens, ...unpriced } })
  record({ type: 'AssistantMessageCountUpdated', data: { codonId, count: tally.messages } })
  if (!event.isPartial) emit(usageEvent(codonId, event, accounts))
  if (event.isUnknown) budget.costUnknown('The provider did not say, or not credibly, what an answer used')
  budget.used(tally, event.tokens)
}

function usageEvent(
  codonId: string,
  { messageId, tokens, modelId }: Usage,
  { tally: { cost: totalCost, byModel }, turns }: Accounts,
): NewEvent {
  const startedAt = turns.of(messageId)
  const model = modelId === undefined ? {} : { modelId }
  const models = Object.keys(byModel).length === 0 ? {} : { modelUsage: byModel }
  return { type: 'token.usage', data: { codonId, ...tokens, totalCost, ...model, ...models, startedAt } }
}

function ended(
  { at, record }: CodonRun,
  { end }: HarnessEvent & { type: 'ended' },
  { contextFull, tally }: { readonly contextFull: boolean; readonly tally: Tally },
): AgentEnd {
  if (end.totalDollars !== undefined) {
    const data = { codonId: at.runtimeId, cost: end.totalDollars, tokens: tally.tokens }
    record({ type: 'CodonFinalCostSet', data })
  }
  if (!end.ok) {
    const { exit, reason, retryAfterMs } = end
    return {
      ok: false,
      exit,
      failure: reason,
      contextFull,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
  }
  return { ok: true, exit: { type: 'success' }, contextFull }
}

/** After each turn that went well: the same prompt again, until the context is full or the limit is reached. */
function extensionsOf(
  { at, record, emit }: CodonRun,
  prompt: string | undefined,
  tallyUnlessFull: () => Tally | undefined,
) {
  const { maxExtensions } = at.codon
  let extension = 0
  return (): string | undefined => {
    const tally = tallyUnlessFull()
    if (prompt === undefined || extension >= maxExtensions || !tally) return undefined
    extension++
    const codonId = at.runtimeId
    const count = tally.messages
    record({ type: 'AssistantMessageCountUpdated', data: { codonId, count, extensionCount: extension } })
    emit({ type: 'codon.extended', data: { codonId, extension, maxExtensions } })
    return prompt
  }
}
