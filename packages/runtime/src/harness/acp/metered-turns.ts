import { createId, fieldOf, isObject, numberOf, textOf } from '../../kit/index.ts'
import type { MeteredAnswer, MeteredFailure } from '../../proxy/index.ts'
import { type BadEnd, failedWith, failureOf, stopped, type Trouble } from '../failure.ts'
import type { HarnessEvent } from '../harness.ts'
import type { RpcAnswer, RpcError } from './json-rpc.ts'

/** The provider is busy; an agent waits and asks again by itself, mostly in silence. */
const busy: ReadonlySet<number> = new Set([429, 503, 529])
/** Longer than this is not the agent's to wait: the codon is parked. */
const longestWait = 60_000
/** When the provider does not say how long. */
const usualWait = 1_000
/** Some agents compact for ever, at a request's price each time. */
const mostOverflows = 3
/** Some agents ask for ever. */
const mostFailures = 5

export interface Judgement {
  readonly events: readonly HarnessEvent[]
  /** The agent must be stopped; this is how its work ended. */
  readonly end?: BadEnd
}

/**
 * What the answers of the provider mean for the work of an agent. It judges, and does nothing itself. `isMetered`: false when
 * nobody can look at what the agent asks.
 */
export function createMeteredTurns({
  autoCompact,
  isMetered,
}: {
  readonly autoCompact: boolean
  readonly isMetered: boolean
}) {
  let last: MeteredFailure | undefined
  let asked = 0
  let failures = 0
  let overflows = 0

  function failed(failure: MeteredFailure): Judgement {
    last = failure
    failures++
    overflows = failure.isOverflow ? overflows + 1 : 0
    if (failure.isOverflow && (!autoCompact || overflows >= mostOverflows))
      return { events: [], end: endBy(failure) }
    const { status = 0, retryAfterMs } = failure
    const events: readonly HarnessEvent[] = busy.has(status)
      ? [{ type: 'waiting', delayMs: retryAfterMs ?? usualWait, reason: failure.message }]
      : []
    const isLong = busy.has(status) && (retryAfterMs ?? 0) > longestWait
    if (isLong || failures >= mostFailures) return { events: [], end: endBy(failure) }
    return { events }
  }

  return {
    answered(answer: MeteredAnswer): Judgement {
      asked++
      const { failure } = answer
      const usage = usageOf(answer)
      if (failure && !failure.isCallersDoing) {
        const { events, ...judgement } = failed(failure)
        return { ...judgement, events: [...usage, ...events] }
      }
      if (!failure) {
        last = undefined
        failures = 0
        overflows = 0
      }
      return { events: usage }
    },
    /** How a turn ended; undefined when it went well. What was asked in the next one is counted anew. */
    endOfTurn(answer: RpcAnswer): BadEnd | undefined {
      const wasAsked = asked > 0
      asked = 0
      if (!answer.ok) return answer.error ? endByError(answer.error, last) : undefined
      const reason = textOf(fieldOf(answer.result, 'stopReason')) ?? 'nothing'
      if (reason === 'cancelled') return last ? endBy(last) : stopped
      if (reason !== 'end_turn')
        return failedWith({ kind: 'answer', status: 400, message: `The agent ended its turn: ${reason}.` })
      if (!isMetered) return undefined
      if (last) return endBy(last)
      return wasAsked ? undefined : failedWith({ kind: 'unknown', message: nothingAsked })
    },
    /** The last answer said that the context is full. */
    isFull: () => last?.isOverflow === true,
  }
}

const nothingAsked =
  'The agent ended its turn without having asked its model anything where it is told to. Look at its row and its own settings.'

function usageOf({ id, modelId, tokens, isWhole }: MeteredAnswer): readonly HarnessEvent[] {
  if (!tokens) return []
  return [
    {
      type: 'usage',
      messageId: id,
      tokens,
      ...(modelId !== undefined && { modelId }),
      ...(!isWhole && { isUnknown: true as const }),
    },
  ]
}

function endBy({ status, message, retryAfterMs, isOverflow }: MeteredFailure): BadEnd {
  if (isOverflow) return failedWith({ kind: 'answer', status: 400, message: 'The context is full.' })
  const trouble: Trouble =
    status === undefined ? { kind: 'connection', message } : { kind: 'answer', status, message }
  const end = failedWith(trouble)
  return end.reason.retriable && retryAfterMs !== undefined ? { ...end, retryAfterMs } : end
}

/** For words that agents put beside an error. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['rate_limit', 429],
  ['overloaded', 529],
  ['server_error', 500],
  ['authentication_failed', 401],
  ['authentication', 401],
  ['billing_error', 402],
  ['permission', 403],
  ['model_not_found', 404],
  ['invalid_request', 400],
  ['ContextOverflowError', 400],
])

function endByError({ message, data }: RpcError, last: MeteredFailure | undefined): BadEnd {
  if (last) return endBy({ ...last, message: last.message === '' ? message : last.message })
  const kind = textOf(fieldOf(data, 'errorKind')) ?? textOf(fieldOf(data, 'errorName')) ?? ''
  const status = statuses.get(kind)
  if (status !== undefined) return failedWith({ kind: 'answer', status, message })
  const trouble: Trouble = { kind: 'unknown', message: detailed(message, data) }
  return { ...failedWith(trouble), reason: { ...failureOf(trouble), retriable: true } }
}

/** Agents say "Internal error" and put what happened beside it. */
function detailed(message: string, data: unknown): string {
  const details = textOf(fieldOf(data, 'details')) ?? textOf(fieldOf(data, 'message')) ?? textOf(data)
  return details === undefined || message.includes(details) ? message : `${message}: ${details}`
}

/** For an agent whose requests nobody sees: what it says of its own cost, from one word to the next. */
export function createOwnCosts() {
  let before = 0
  return (update: unknown): readonly HarnessEvent[] => {
    const cost = fieldOf(update, 'cost')
    const amount = isObject(cost) ? numberOf(cost['amount']) : undefined
    if (amount === undefined || !(amount > before)) return []
    const dollars = amount - before
    before = amount
    const tokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }
    return [{ type: 'usage', messageId: createId('msg'), tokens, dollars, isUnknown: true }]
  }
}
