import type { TokenCounts } from '@weave/protocol'
import { type Clock, isoTime, retryAfterOf } from '../kit/index.ts'
import { firstValue } from './headers.ts'
import type { BodilessRequest } from './middleware.ts'
import { maskedUrl } from './request-head.ts'
import type { ExchangeEnding, ExchangeObserver, Observe, OutgoingRequest, ResponseHead } from './transport.ts'
import { createUsageReader, type UsageReader } from './usage-reader.ts'

/** What was learnt of one exchange. No word of what was asked or answered is in it, and no key. */
export interface RequestRecord {
  /** When it went out. */
  readonly time: string
  readonly method: string
  readonly url: string
  readonly model?: string
  readonly stream?: boolean
  /** Absent when no answer came. */
  readonly status?: number
  /** Milliseconds until the head of the answer was there. */
  readonly firstByteMs?: number
  /** Milliseconds until it was over. */
  readonly durationMs: number
  readonly requestBytes?: number
  readonly responseBytes: number
  readonly tokens?: TokenCounts
  readonly retryAfterMs?: number
  /** By which the provider knows it. */
  readonly requestId?: string
  readonly ending: ExchangeEnding
}

export interface RequestRecorderOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** The head of an answer came; `retryAfterMs` when the provider asks to wait. */
  readonly onAnswer?: (status: number, retryAfterMs: number | undefined) => void
  readonly onRecord: (record: RequestRecord) => void
}

/** Looks at every exchange and says in the end what it was. */
export function recordRequests(options: RequestRecorderOptions): Observe {
  return (request, incoming) => new RequestRecorder(options, request, incoming)
}

class RequestRecorder implements ExchangeObserver {
  readonly #options: RequestRecorderOptions
  readonly #request: OutgoingRequest
  readonly #incoming: BodilessRequest
  readonly #time: Date
  readonly #began: number
  #head: ResponseHead | undefined
  #firstByte = 0
  #bytes = 0
  #retryAfterMs: number | undefined
  #usage: UsageReader | undefined

  constructor(options: RequestRecorderOptions, request: OutgoingRequest, incoming: BodilessRequest) {
    this.#options = options
    this.#request = request
    this.#incoming = incoming
    this.#time = options.clock.now()
    this.#began = options.clock.monotonic()
  }

  head(head: ResponseHead): void {
    const { clock, onAnswer } = this.#options
    this.#head = head
    this.#firstByte = clock.monotonic()
    if (head.status >= 400)
      this.#retryAfterMs = retryAfterOf(name => firstValue(head.headers, name), clock.now())
    this.#usage = createUsageReader(head)
    onAnswer?.(head.status, this.#retryAfterMs)
  }

  data(bytes: Buffer): void {
    this.#bytes += bytes.length
    this.#usage?.push(bytes)
  }

  end(ending: ExchangeEnding): void {
    const ended = this.#options.clock.monotonic()
    const data = this.#incoming.messagesRequestData
    const tell = (tokens: TokenCounts | undefined): void =>
      this.#options.onRecord(this.#record({ ended, ending, tokens, data }))
    if (this.#usage) this.#usage.end(tokens => tell(data && tokens))
    else tell(undefined)
  }

  /** Filled field by field: for every request, putting parts of objects together costs several times as much. */
  #record({ ended, ending, tokens, data }: Ended): RequestRecord {
    const { method, target, body, streamLength } = this.#request
    const head = this.#head
    const record: { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] } = {
      time: isoTime(this.#time),
      method,
      url: maskedUrl(target),
      durationMs: rounded(ended - this.#began),
      responseBytes: this.#bytes,
      ending,
    }
    if (data) {
      record.model = data.model
      record.stream = data.stream ?? false
    }
    const requestBytes = Buffer.isBuffer(body) ? body.length : streamLength
    if (requestBytes !== undefined) record.requestBytes = requestBytes
    if (tokens) record.tokens = tokens
    if (this.#retryAfterMs !== undefined) record.retryAfterMs = this.#retryAfterMs
    if (!head) return record
    record.status = head.status
    record.firstByteMs = rounded(this.#firstByte - this.#began)
    const id = firstValue(head.headers, 'request-id') ?? firstValue(head.headers, 'x-request-id')
    if (id !== undefined) record.requestId = id
    return record
  }
}

interface Ended {
  readonly ended: number
  readonly ending: ExchangeEnding
  readonly tokens: TokenCounts | undefined
  readonly data: BodilessRequest['messagesRequestData']
}

function rounded(ms: number): number {
  return Math.round(100 * ms) / 100
}
