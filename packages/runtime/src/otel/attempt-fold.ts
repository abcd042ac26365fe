import type { JournaledEvent, SentinelState, Transition, TransitionData } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { attemptKey } from './ids.ts'
import { names, providerName, type Vocabulary } from './names.ts'
import { type CodonFacts, codonIdOf, type PlanFacts } from './plan-facts.ts'
import { createRig, type Rig } from './rig-fold.ts'
import { createSentinelCalls, type SentinelCalls } from './sentinel-fold.ts'
import { type Attributes, attributesOf, failureOf, type SpanEvent, type SpanFailure } from './span.ts'
import { createTools, type Tools } from './tool-fold.ts'
import { createTurns, type Turns, usageAttributes } from './turn-fold.ts'

export interface AttemptStart {
  readonly runId: string
  readonly index: number
  /** Of the run. */
  readonly parentId: string
  readonly data: TransitionData<'CodonStarted'>
  readonly plan: PlanFacts
}

export interface AttemptEnd {
  readonly time: number
  readonly status: string
  readonly failure?: SpanFailure | undefined
  readonly budgetExceeded?: string | undefined
}

/** One attempt at a codon: gathers what is said of it until it has ended. */
export class AttemptFold {
  readonly codonId: string
  readonly #start: AttemptStart
  readonly #ground: FoldGround
  readonly #facts: CodonFacts
  readonly #spanId: string
  readonly #turns: Turns
  readonly #tools: Tools
  readonly #rig: Rig
  readonly #sentinels: SentinelCalls
  readonly #events: SpanEvent[] = []
  readonly #spent: Spent = { cost: 0 }

  constructor(start: AttemptStart, ground: FoldGround) {
    const { runId, index, data, plan } = start
    this.codonId = data.codonId
    this.#start = start
    this.#ground = ground
    this.#facts = plan.codon(codonIdOf(data.codonId))
    this.#spanId = ground.idOf(attemptKey(runId, index))
    const place = { runId, index, parentId: this.#spanId }
    const { provider, rig: operations } = this.#facts
    this.#turns = createTurns({ ...place, model: data.model, provider }, ground)
    this.#tools = createTools(place, ground)
    this.#rig = createRig({ ...place, start: Date.parse(data.startTime), operations }, ground)
    this.#sentinels = createSentinelCalls({ ...place, providerOf: plan.providerOf }, ground)
  }

  note(name: string, time: number, attributes: Attributes): void {
    this.#events.push({ name, time, attributes })
  }

  /** Spans that are over with an event of this codon. */
  heard(event: JournaledEvent, time: number): readonly Draft[] {
    switch (event.type) {
      case 'assistant.action':
        this.#turns.said(event.data)
        if (event.data.action === 'tool_use') this.#tools.called(event.data)
        return []
      case 'token.usage':
        return [this.#turns.ended(event.data, time)]
      case 'tool.result':
        this.#turns.handed(time)
        return [this.#tools.answered(event.data, time)]
      case 'rig.output':
        if (event.data.check === undefined) this.#rig.seen()
        return []
      case 'rig.operation':
        return [this.#rig.operated(event.data, time)]
      case 'codon.extended':
        this.#turns.handed(time)
        this.note('weave.extended', time, { 'weave.extension': event.data.extension })
        return []
      case 'sentinel.loaded':
        this.#sentinels.loaded(event.data)
        return []
      case 'sentinel.triggered':
        this.#sentinels.triggered(event.data, time)
        return []
      case 'sentinel.output':
        return [this.#sentinels.said(event.data, time)]
      case 'sentinel.error':
        return [this.#sentinels.failed(event.data, time)]
      default:
        return []
    }
  }

  /** A transition of this codon that does not end it. */
  changed({ type, data }: Transition, time: number): readonly Draft[] {
    switch (type) {
      case 'CodonTransitioned': {
        if (data.to === 'running') this.#turns.handed(time)
        if ('sessionId' in data) this.#spent.sessionId = data.sessionId
        const over = data.to === 'starting' ? this.#rig.over(time) : undefined
        return over ? [over] : []
      }
      case 'CostsUpdated':
        this.#turns.account(data.tokens)
        setCost(this.#spent, data)
        return []
      case 'CostsIncremented':
        this.#turns.accountMore(data.tokens)
        setCost(this.#spent, { ...data, cost: this.#spent.cost + data.cost })
        return []
      case 'CodonFinalCostSet':
        if (data.tokens) this.#turns.account(data.tokens)
        setCost(this.#spent, data)
        return []
      case 'SentinelStatesUpdated':
        this.#spent.sentinels = data.sentinels
        return []
      case 'CheckpointCreated':
        if (data.checkpointType === 'rig-setup') this.#rig.seen()
        this.note('weave.checkpoint', time, {
          'weave.checkpoint.type': data.checkpointType,
          'weave.checkpoint.sha': data.sha,
        })
        return []
      default:
        return []
    }
  }

  /** What was still open, then the attempt itself. */
  over(end: AttemptEnd): readonly Draft[] {
    const preparing = this.#rig.over(end.time, end.failure)
    const cut = this.#turns.cutOff(end.time, end.failure)
    return [...(preparing ? [preparing] : []), ...(cut ? [cut] : []), this.#span(end)]
  }

  #span({ time, status, failure, budgetExceeded }: AttemptEnd): Draft {
    const { runId, parentId, data } = this.#start
    const { vocabulary } = this.#ground
    const start = Date.parse(data.startTime)
    return {
      subject: 'attempt',
      name: `invoke_agent ${codonIdOf(data.codonId)}`,
      kind: 'internal',
      spanId: this.#spanId,
      parentId,
      start,
      end: notBefore(start, time),
      attributes: attributesOf({
        ...agentAttributes(data, this.#facts, vocabulary),
        ...usageAttributes(this.#turns.ledger, vocabulary, { withCaches: vocabulary.isAgentDetailed }),
        [names.conversation]: this.#spent.sessionId,
        'weave.codon.status': status,
        'weave.codon.turns': this.#turns.count,
        'weave.codon.tools': this.#tools.count,
        ...costAttributes(this.#spent),
        'weave.budget.exceeded': budgetExceeded,
        [names.errorType]: failure?.type,
      }),
      events: this.#events,
      links: [],
      failure,
      runId,
      asked: { codonId: data.codonId, began: data.startTime },
    }
  }
}

interface Spent {
  cost: number
  costUnknown?: true | undefined
  sessionId?: string | undefined
  sentinels?: readonly SentinelState[] | undefined
}

function setCost(
  spent: Spent,
  { cost, costUnknown }: { cost: number; costUnknown?: true | undefined },
): void {
  spent.cost = cost
  if (costUnknown !== undefined) spent.costUnknown = costUnknown
}

function agentAttributes(
  { codonId, codonName, attempt, model, loopContext }: TransitionData<'CodonStarted'>,
  { provider, harness }: CodonFacts,
  { isAgentDetailed }: Vocabulary,
) {
  return {
    [names.operation]: 'invoke_agent',
    [names.provider]: isAgentDetailed ? providerName(provider) : undefined,
    [names.agent]: codonIdOf(codonId),
    [names.agentId]: isAgentDetailed ? codonId : undefined,
    [names.agentDescription]: codonName,
    [names.requestModel]: model,
    'weave.codon.id': codonId,
    'weave.codon.attempt': attempt,
    'weave.loop.id': loopContext?.loopId,
    'weave.loop.iteration': loopContext?.iteration,
    'weave.harness': harness,
  }
}

/** As `weave report --costs` has it: sentinels are no part of a codon's cost. */
function costAttributes({ cost, costUnknown, sentinels }: Spent) {
  return {
    'weave.cost.usd': cost,
    'weave.cost.unknown': costUnknown,
    'weave.sentinels.cost.usd': sentinels?.reduce((sum, sentinel) => sum + sentinel.cost, 0),
  }
}

/** How an attempt ended, by the transition that says so; undefined while it goes on. */
export function attemptEnd(data: TransitionData<'CodonTransitioned'>): AttemptEnd | undefined {
  if (!('endTime' in data)) return undefined
  const { to: status, endTime, budgetExceeded } = data
  const reason = data.to === 'failed' ? data.failureReason : undefined
  return {
    time: Date.parse(endTime),
    status,
    failure: reason && failureOf(reason.type, reason.message ?? reason.type),
    budgetExceeded: budgetExceeded?.currency,
  }
}
