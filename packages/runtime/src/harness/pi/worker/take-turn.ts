import { setImmediate } from 'node:timers/promises'
import type { AssistantMessage } from '@earendil-works/pi-ai'
import type { AgentSession } from '@earendil-works/pi-coding-agent'
import { type Clock, isObject, textOf } from '../../../kit/index.ts'
import type { Trouble } from '../../failure.ts'
import type { WorkerFailure } from '../worker-protocol.ts'
import type { FetchObserver, ProviderCall } from './observe-fetch.ts'
import type { Sdk } from './open-session.ts'

/** `said`: the SDK's error message; `call`: what was seen of the call itself. */
export function classifyError(said: string, call: ProviderCall | undefined): Trouble {
  if (call?.unreachable !== undefined) {
    return { kind: 'connection', message: `The provider could not be reached: ${call.unreachable}` }
  }
  const { status, body = '' } = call ?? {}
  if (status !== undefined && status >= 400) return refusal(status, body, said)
  const message = sentences.get(said) ?? messageIn(said) ?? said
  if (status === undefined) return { kind: 'unknown', message }
  const meant = brokenOff.find(({ words }) => words.test(said))
  if (!meant) return { kind: 'unknown', message }
  return meant.status === undefined
    ? { kind: 'connection', message: `The answer of the provider was cut off: ${message}` }
    : { kind: 'answer', status: meant.status, message }
}

/** For what the SDK says when it knows no reason. */
const noReason = 'The provider refused to answer, or broke off without a reason.'
const sentences: ReadonlyMap<string, string> = new Map([
  ['', noReason],
  ['An unknown error occurred', noReason],
  ['Provider finish_reason: content_filter', 'The provider refused to answer.'],
])

/** An answer that began well and then broke off, by the words of the SDK or the provider. */
const brokenOff: readonly { readonly words: RegExp; readonly status?: number }[] = [
  { words: /rate.?limit|too many requests|resource.?exhausted/i, status: 429 },
  { words: /overloaded/i, status: 529 },
  { words: /server.?error|internal.?error|api_error|unavailable|timeout_error/i, status: 500 },
  { words: /provider.?returned.?error|finish_reason: error/i, status: 502 },
  { words: /terminated|ended (?:before|without)|closed|socket|network|premature|ECONN|timed? ?out|JSON/i },
]

/** Some providers answer 429 for an empty account; that is not retriable. */
const outOfMoney = /insufficient_quota|credit balance|billing_hard_limit/i
const paymentRequired = 402

function refusal(status: number, body: string, said: string): Trouble {
  const isMoney = status === 429 && outOfMoney.test(body)
  const message = `${status}: ${messageIn(body) ?? messageIn(said) ?? sentences.get(said) ?? said}`
  return { kind: 'answer', status: isMoney ? paymentRequired : status, message }
}

/** The sentence in an error of any of the dialects. */
function messageIn(text: string): string | undefined {
  const start = text.search(/[{[]/)
  if (start === -1) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start))
    const first: unknown = Array.isArray(value) ? value[0] : value
    const error = isObject(first) ? (first['error'] ?? first) : undefined
    return textOf(isObject(error) ? error['message'] : error) || undefined
  } catch {
    return undefined
  }
}

export interface Agent {
  readonly sdk: Sdk
  readonly session: AgentSession
  readonly observer: FetchObserver
  readonly clock: Clock
  readonly stop: AbortSignal
}

export type TurnEnd = { readonly type: 'turn' } | { readonly type: 'stopped' } | WorkerFailure

/** Never rejects. */
export async function takeTurn(agent: Agent, prompt: string): Promise<TurnEnd> {
  const { session, observer, clock, stop } = agent
  let answer: AssistantMessage | undefined
  /** What was seen of the call that brought the answer. */
  let call: ProviderCall | undefined
  const halt = () => {
    session.abortCompaction()
    void session.abort()
  }
  const unsubscribe = session.subscribe(event => {
    // The SDK begins whatever it was about to do when it was stopped.
    if (event.type === 'agent_start' && stop.aborted) halt()
    if (event.type !== 'message_end' || event.message.role !== 'assistant') return
    answer = event.message
    call = observer.take()
  })
  const settled = untilSettled(session, clock, stop)
  stop.addEventListener('abort', halt, { once: true })
  try {
    await session.prompt(prompt, { expandPromptTemplates: false })
    await settled
    await session.agent.waitForIdle()
  } catch (error) {
    return stop.aborted ? { type: 'stopped' } : failure({ kind: 'unknown', message: String(error) })
  } finally {
    stop.removeEventListener('abort', halt)
    unsubscribe()
  }
  return stop.aborted ? { type: 'stopped' } : judge(agent, answer, call)
}

/** The SDK does not reject: how a turn went is known from its last answer. */
function judge({ sdk, session }: Agent, answer?: AssistantMessage, call?: ProviderCall): TurnEnd {
  if (!answer) return failure({ kind: 'unknown', message: 'The agent ended its turn without an answer.' })
  if (isFull(answer, sdk, session.model?.contextWindow)) {
    return { ...failure({ kind: 'answer', message: 'The context is full.' }), contextFull: true }
  }
  const { stopReason, errorMessage = '' } = answer
  if (stopReason === 'error' || stopReason === 'aborted') {
    return { ...failure(classifyError(errorMessage, call)), retryAfterMs: call?.retryAfterMs }
  }
  if (call?.isRefusal) return failure({ kind: 'unknown', message: 'The provider refused to answer.' })
  if (call?.isWhole !== false) return { type: 'turn' }
  return failure({ kind: 'connection', message: 'The answer of the provider was cut off.' })
}

/** What the SDK does not count as an overflow: the request leaves no room for an answer. */
const noRoom = /exceed(?:s)? (?:the )?context limit/i

/**
 * A good answer to more than the window holds means that the window is bigger than we know, but at the one provider that then
 * answers without the beginning.
 */
function isFull(answer: AssistantMessage, { ai }: Sdk, contextWindow: number | undefined): boolean {
  const { stopReason, errorMessage = '', provider } = answer
  if (stopReason === 'error' && noRoom.test(errorMessage)) return true
  const isGood = stopReason === 'stop' && provider !== 'zai'
  return ai.isContextOverflow(answer, isGood ? undefined : contextWindow)
}

export function failure(trouble: WorkerFailure['trouble']): WorkerFailure {
  return { type: 'failed', trouble, contextFull: false }
}

/** What follows a turn follows at once, but for another try after a compaction: that takes a tenth of a second. */
const retryWithinMs = 5_000

/**
 * Resolves when a turn is really over: the SDK's own promise resolves before a compaction and the turn that it repeats. To be
 * called before the turn begins. After `stop` nothing more is waited for than what runs.
 */
export function untilSettled(
  session: Pick<AgentSession, 'subscribe'>,
  clock: Clock,
  stop: AbortSignal,
): Promise<void> {
  return new Promise(resolve => {
    let moment = 0
    const over = new AbortController()
    const unsubscribe = session.subscribe(event => {
      if (!milestones.has(event.type)) return
      moment++
      if (event.type === 'agent_end') void settleAfter(setImmediate())
      if (event.type !== 'compaction_end') return
      const isRepeated = event.willRetry && !stop.aborted
      void settleAfter(isRepeated ? clock.sleep(retryWithinMs, over.signal) : setImmediate())
    })

    /** Unless something happens until then. */
    async function settleAfter(wait: Promise<void>): Promise<void> {
      const now = moment
      await wait.catch(() => undefined)
      if (moment !== now || over.signal.aborted) return
      over.abort()
      unsubscribe()
      resolve()
    }
  })
}

const milestones = new Set<string>(['agent_start', 'agent_end', 'compaction_start', 'compaction_end'])
