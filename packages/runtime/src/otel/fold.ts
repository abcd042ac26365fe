import {
  type EventData,
  type EventType,
  type JournaledEvent,
  parseTransition,
  type Transition,
  type TransitionData,
  type TransitionType,
} from '@weave/protocol'
import { fieldOf, numberOf } from '../kit/index.ts'
import { type AttemptEnd, AttemptFold, attemptEnd } from './attempt-fold.ts'
import type { Draft, FoldGround } from './draft.ts'
import { type RemoteSpan, runKey, spanIdOf, traceIdOf } from './ids.ts'
import { type ContentLevel, type VocabularyName, vocabularies } from './names.ts'
import { type PlanFacts, planFacts } from './plan-facts.ts'
import { createRollbacks } from './rollback-fold.ts'
import { createRun, type RunEnd, type RunFold } from './run-fold.ts'
import { type EndedSpan, failureOf } from './span.ts'

export interface FoldOptions {
  readonly executionId: string
  readonly names: VocabularyName
  readonly content: ContentLevel
  readonly rehearsal: boolean
  /** The span of another program that started a run, as far as that is known. */
  readonly startedBy?: ((runId: string) => RemoteSpan | undefined) | undefined
}

export interface Fold {
  /** Takes every event of a journal in order and returns the spans that are over with it. */
  add(event: JournaledEvent): readonly EndedSpan[]
  /**
   * What is still open, as a crash would end it; nothing may be added after it. The next start says the same of it, so
   * only for an execution that nobody holds.
   */
  abandon(): readonly EndedSpan[]
}

/** What a fold looks at; other events may be left out, and are passed over. */
export const foldedTypes: ReadonlySet<EventType> = new Set([
  'state.transition',
  'preflight.result',
  'run.started',
  'token.usage',
  'tool.result',
  'rig.output',
  'rig.operation',
  'codon.extended',
  'codon.retrying',
  'run.parked',
  'budget.exceeded',
  'server.idle',
  'sentinel.loaded',
  'sentinel.triggered',
  'sentinel.output',
  'sentinel.error',
  'rollback.started',
  'rollback.completed',
] satisfies readonly EventType[])

/** Also looked at where content goes with the spans. */
export const spokenTypes: ReadonlySet<EventType> = new Set([...foldedTypes, 'assistant.action'])

const crash = failureOf('crashed', 'The server ended while this was going on.')

/**
 * From the journal to spans. Pure: what a fold returns depends on its options and the events alone, and a longer journal
 * gives the same spans first. A span is returned once, when it is over.
 */
export function createFold(options: FoldOptions): Fold {
  return new JournalFold(options)
}

class JournalFold implements Fold {
  readonly #options: FoldOptions
  readonly #traceId: string
  readonly #ground: FoldGround
  readonly #rollbacks: ReturnType<typeof createRollbacks>
  #plan: PlanFacts = planFacts(undefined)
  #run: RunFold | undefined
  #attempt: AttemptFold | undefined
  #isLive = false
  /** An attempt that has failed, while it is not known whether it is tried again. */
  #unsettled: readonly Draft[] = []
  /** When something was last heard of the run. */
  #lastSign = 0
  #lastSeq = 0

  constructor(options: FoldOptions) {
    const { executionId, names, content } = options
    this.#options = options
    this.#traceId = traceIdOf(executionId)
    this.#ground = { vocabulary: vocabularies[names], content, idOf: key => spanIdOf(executionId, key) }
    this.#rollbacks = createRollbacks(this.#ground)
  }

  add(event: JournaledEvent): readonly EndedSpan[] {
    if (!spokenTypes.has(event.type) || isPassedOver(event)) return nothing
    const time = Date.parse(event.timestamp)
    this.#lastSeq = event.seq
    const drafts = this.#heard(event, time)
    if (event.type !== 'preflight.result' && event.type !== 'assistant.action') this.#lastSign = time
    return drafts.length === 0 ? nothing : this.#released(drafts)
  }

  abandon(): readonly EndedSpan[] {
    return this.#released(this.#crashed())
  }

  #released(drafts: readonly Draft[]): readonly EndedSpan[] {
    const [traceId, seq, last] = [this.#traceId, this.#lastSeq, drafts.length - 1]
    return drafts.map((draft, at) => Object.assign(draft, { traceId, seq, isLastOfEvent: at === last }))
  }

  #heard(event: JournaledEvent, time: number): readonly Draft[] {
    const { type, data } = event
    switch (type) {
      case 'state.transition': {
        const transition = costsIn(data.transition) ?? parseTransition(data.transition)
        if ('problem' in transition) return []
        const { currentRunId, currentRunCost } = data.resultingState
        if (currentRunId === this.#run?.runId) this.#run?.spent(currentRunCost)
        return this.#changed(transition, time)
      }
      case 'preflight.result':
        if (data.plan) this.#plan = planFacts(data.plan)
        return []
      case 'run.started':
        this.#run?.named(data.hankName)
        return []
      case 'codon.retrying':
        if (this.#attempt?.codonId === data.codonId)
          this.#attempt.note('weave.retry', time, {
            'weave.retry.attempt': data.attempt,
            'weave.retry.delay_ms': data.delayMs,
          })
        return this.#settled()
      case 'run.parked':
        this.#noted(data.codonId)?.note('weave.parked', time, { 'weave.parked.until': data.until })
        return []
      case 'budget.exceeded':
        this.#noted(data.codonId)?.note('weave.budget.exceeded', time, breachAttributes(data))
        return []
      case 'server.idle':
        return this.#settled()
      case 'rollback.started':
        return [...this.#settled(), ...this.#rollbacks.started(data, time, this.#lastSign)]
      case 'rollback.completed':
        return this.#rollbacks.completed(data, time)
      default:
        return this.#attempt && 'codonId' in data && data.codonId === this.#attempt.codonId
          ? this.#attempt.heard(event, time)
          : []
    }
  }

  #changed(transition: Transition, time: number): readonly Draft[] {
    switch (transition.type) {
      case 'RunStarted':
        return this.#startRun(transition.data)
      case 'CodonStarted':
        return this.#startAttempt(transition.data)
      case 'RunCompleted': {
        const { endTime, outcome } = transition.data
        return this.#endRun({ time: Date.parse(endTime), status: outcome })
      }
      case 'RunFailed': {
        const { endTime, reason } = transition.data
        const failure = failureOf(this.#run?.lastFailure ?? 'failed', reason)
        return this.#endRun({ time: Date.parse(endTime), status: 'failed', failure })
      }
      case 'RunCrashed':
        return this.#crashed()
      case 'CodonTransitioned': {
        const end = attemptEnd(transition.data)
        return end ? this.#endAttempt(end) : (this.#attempt?.changed(transition, time) ?? [])
      }
      default:
        return this.#attempt?.changed(transition, time) ?? []
    }
  }

  #startRun(data: TransitionData<'RunStarted'>): readonly Draft[] {
    const { executionId, rehearsal, startedBy } = this.#options
    const continued = data.startedFrom.type === 'continuation' ? data.startedFrom.runId : undefined
    const links = {
      continues:
        continued === undefined
          ? undefined
          : { traceId: this.#traceId, spanId: this.#ground.idOf(runKey(continued)) },
      'started-by': startedBy?.(data.runId),
    }
    const { hankName } = this.#plan
    this.#run = createRun({ data, executionId, rehearsal, links, hankName }, this.#ground)
    return this.#settled()
  }

  #startAttempt(data: TransitionData<'CodonStarted'>): readonly Draft[] {
    if (!this.#run) return []
    const { runId, spanId: parentId } = this.#run
    const start = { runId, index: this.#run.nextIndex(), parentId, data, plan: this.#plan }
    this.#attempt = new AttemptFold(start, this.#ground)
    this.#isLive = true
    return [...this.#rollbacks.abandoned(this.#lastSign), ...this.#settled()]
  }

  #endAttempt(end: AttemptEnd): readonly Draft[] {
    if (!this.#attempt || !this.#isLive) return []
    this.#isLive = false
    this.#run?.attemptOver(end.failure)
    const drafts = this.#attempt.over(end)
    if (end.status !== 'failed' || end.failure === crash) return drafts
    this.#unsettled = drafts.slice(-1)
    return drafts.slice(0, -1)
  }

  #endRun(end: RunEnd): readonly Draft[] {
    const over = this.#run?.over(end)
    this.#run = undefined
    return [...this.#settled(), ...(over ? [over] : [])]
  }

  #crashed(): readonly Draft[] {
    const time = this.#lastSign
    return [
      ...this.#rollbacks.abandoned(time),
      ...this.#settled(),
      ...this.#endAttempt({ time, status: 'failed', failure: crash }),
      ...this.#endRun({ time, status: 'crashed', failure: crash }),
    ]
  }

  #settled(): readonly Draft[] {
    const drafts = this.#unsettled
    this.#unsettled = []
    return drafts
  }

  /** What something is noted on that happens to a codon, or before it begins. */
  #noted(codonId: string | undefined): Pick<AttemptFold, 'note'> | undefined {
    return this.#isLive && codonId === this.#attempt?.codonId ? this.#attempt : this.#run
  }
}

const nothing: readonly EndedSpan[] = []

function breachAttributes({ currency, limit, used, scope }: EventData<'budget.exceeded'>) {
  return {
    'weave.budget.currency': currency,
    'weave.budget.limit': limit,
    'weave.budget.used': used,
    'weave.budget.scope': scope,
  }
}

/** Comes with every answer, and no span tells of it; a reader may leave it out. */
export const passedOver: TransitionType = 'AssistantMessageCountUpdated'

function isPassedOver({ type, data }: JournaledEvent): boolean {
  return type === 'state.transition' && data.transitionType === passedOver
}

/** Comes with every answer, too: looked at by hand, because a schema takes longer than all the rest. */
function costsIn({ type, data }: { type: string; data: unknown }): Transition<'CostsUpdated'> | undefined {
  const tokens = fieldOf(data, 'tokens')
  const isWhole =
    type === 'CostsUpdated' &&
    numberOf(fieldOf(data, 'cost')) !== undefined &&
    counted.every(name => numberOf(fieldOf(tokens, name)) !== undefined)
  return isWhole ? { type, data: data as TransitionData<'CostsUpdated'> } : undefined
}

const counted = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens'] as const
