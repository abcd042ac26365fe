import type { TokenCounts } from '@weave/protocol'
import { type Clock, retryAfterOf } from '../../kit/index.ts'
import { firstValue } from '../headers.ts'
import type { ExchangeEnding, ExchangeObserver, ResponseHead } from '../transport.ts'
import { type AnswerDialect, isOverflow } from './answer-dialects.ts'
import { type AnswerReader, createAnswerReader, type ReadAnswer } from './answer-reader.ts'

/** What one request for an answer of the model came to. */
export interface MeteredAnswer {
  /** By which the provider knows it; never that of another answer. */
  readonly id: string
  readonly modelId?: string | undefined
  /** Absent: the provider said nothing of it. */
  readonly tokens?: TokenCounts | undefined
  /** The usage is all that the answer is charged for. */
  readonly isWhole: boolean
  /** Why there is no answer, or only a part of one. */
  readonly failure?: MeteredFailure | undefined
}

export interface MeteredFailure {
  /** Absent: no answer came, or it broke off. */
  readonly status?: number | undefined
  readonly message: string
  readonly retryAfterMs?: number | undefined
  /** The conversation is longer than the model takes. */
  readonly isOverflow: boolean
  /** The agent itself hung up. */
  readonly isCallersDoing: boolean
}

/** `id` as the provider says it. */
export type Told = Omit<MeteredAnswer, 'id'> & { readonly id: string | undefined }

export interface MeteredExchangeOptions {
  readonly clock: Clock
  readonly onSign: () => void
  readonly onEnd: (told: Promise<Told>) => void
}

/** Reads along with one exchange. */
export class MeteredExchange implements ExchangeObserver {
  readonly #dialect: AnswerDialect
  readonly #options: MeteredExchangeOptions
  #head: ResponseHead | undefined
  #reader: AnswerReader | undefined
  #waiting: (() => void)[] = []

  constructor(dialect: AnswerDialect, options: MeteredExchangeOptions) {
    this.#dialect = dialect
    this.#options = options
  }

  head(head: ResponseHead): void {
    this.#head = head
    this.#reader = createAnswerReader(head, this.#dialect)
    this.#options.onSign()
  }

  data(bytes: Buffer): void {
    this.#reader?.push(bytes)
    this.#options.onSign()
    this.#move()
  }

  /** More of it has come, or it is over. */
  moved(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #move(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const goOn of waiting) goOn()
  }

  end(ending: ExchangeEnding): void {
    const head = this.#head
    const reader = this.#reader
    const read = new Promise<ReadAnswer>(resolve =>
      reader ? reader.end(resolve) : resolve({ notes: {}, text: '' }),
    )
    this.#options.onEnd(read.then(answer => toldOf(answer, { head, ending, now: this.#options.clock.now() })))
    this.#move()
  }
}

interface Circumstances {
  readonly head: ResponseHead | undefined
  readonly ending: ExchangeEnding
  readonly now: Date
}

function toldOf({ notes, text }: ReadAnswer, circumstances: Circumstances): Told {
  const { id, modelId, tokens, isWhole = false } = notes
  const failure = failureOf({ notes, text }, circumstances)
  // An answer that began is charged for, whatever became of it.
  const isCharged = tokens !== undefined || (circumstances.head?.status ?? 500) < 300
  return {
    id,
    ...(modelId !== undefined && { modelId }),
    ...(isCharged && { tokens: tokens ?? nothing }),
    // There is no request without input: an answer to none is one whose usage was not told.
    isWhole: isWhole && tokens !== undefined && inputOf(tokens) > 0,
    ...(failure && { failure }),
  }
}

function inputOf({ inputTokens, cacheCreationTokens, cacheReadTokens }: TokenCounts): number {
  return inputTokens + cacheCreationTokens + cacheReadTokens
}

const nothing: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

function failureOf(
  { notes, text }: ReadAnswer,
  { head, ending, now }: Circumstances,
): MeteredFailure | undefined {
  const isCallersDoing = ending === 'caller-left'
  if (head && head.status >= 400) {
    const { status } = head
    const retryAfterMs = retryAfterOf(name => firstValue(head.headers, name), now) ?? delayIn(text)
    const message = messageIn(text) ?? `The provider answered with status ${status}.`
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
    return { status, message, ...wait, isOverflow: isOverflow(status, text), isCallersDoing: false }
  }
  if (notes.error) {
    const { status, message } = notes.error
    return { status, message, isOverflow: isOverflow(status, message), isCallersDoing: false }
  }
  if (ending === 'complete') return undefined
  const message = head ? 'The answer of the provider broke off.' : 'The provider could not be reached.'
  return { message, isOverflow: false, isCallersDoing }
}

/** Google says in the body how long to wait. */
function delayIn(body: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}

const longestMessage = 500

function messageIn(body: string): string | undefined {
  const found = /"message"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(body)?.[1]
  return found?.replaceAll(/\\(.)/g, '$1').slice(0, longestMessage)
}
