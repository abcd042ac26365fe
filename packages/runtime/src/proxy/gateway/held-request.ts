import { STATUS_CODES } from 'node:http'
import { type Clock, errorCode } from '../../kit/index.ts'
import { header } from '../answer.ts'
import type { AnswerDialect } from '../metering/answer-dialects.ts'
import { MeteredExchange, type Told } from '../metering/metered-exchange.ts'
import type {
  ExchangeEnding,
  OutgoingRequest,
  ResponseHandler,
  ResponseHead,
  RunningRequest,
  Transport,
} from '../transport.ts'
import type { Asked } from './asked.ts'
import type { GatewaySeat, GatewayWord } from './seat.ts'

export interface HeldRequestOptions {
  readonly asked: Asked & { readonly dialect?: AnswerDialect | undefined }
  /** Undefined: there is no such place. */
  readonly to: Promise<Transport> | undefined
  readonly seat: GatewaySeat
  readonly clock: Clock
}

/** Nothing of it has left this machine. */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** One request at the gateway: held until the seat has spoken, then on its way, then told of. */
export class HeldRequest implements RunningRequest, ResponseHandler {
  readonly #request: OutgoingRequest
  readonly #handler: ResponseHandler
  readonly #options: HeldRequestOptions
  readonly #left = new AbortController()
  #running: RunningRequest | undefined
  #isPaused = false
  #observer: MeteredExchange | undefined
  #status: number | undefined
  /** It went out, and its end was not told yet. */
  #isUnderWay = false
  #isUnsent = false

  constructor(request: OutgoingRequest, handler: ResponseHandler, options: HeldRequestOptions) {
    this.#request = request
    this.#handler = handler
    this.#options = options
    void this.#pass()
  }

  pause(): void {
    this.#isPaused = true
    this.#running?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#running?.resume()
  }

  abort(): void {
    this.#left.abort()
    this.#running?.abort()
    this.#tell('caller-left')
  }

  interim(head: ResponseHead): void {
    this.#handler.interim(head)
  }

  head(head: ResponseHead): void {
    this.#status = head.status
    this.#observer?.head(head)
    this.#handler.head(head)
  }

  data(bytes: Buffer): void {
    this.#observer?.data(bytes)
    this.#handler.data(bytes)
  }

  end(): void {
    this.#tell('complete')
    this.#handler.end()
  }

  fail(error: Error): void {
    this.#tell('upstream-failed', neverSent.has(errorCode(error) ?? ''))
    this.#handler.fail(error)
  }

  async #pass(): Promise<void> {
    const { to, seat, asked, clock } = this.#options
    try {
      const transport = await to
      const word: GatewayWord = transport ? await seat.before(asked, this.#left.signal) : unknownPlace
      if (this.#left.signal.aborted) {
        if (word.kind === 'forward') seat.after(asked, { isWhole: false, isFree: true })
        return
      }
      if (word.kind === 'refuse' || !transport) {
        this.#refuse(word.kind === 'refuse' ? word : unknownPlace)
        return
      }
      this.#isUnderWay = true
      const onEnd = (told: Promise<Told>): void => void told.then(each => this.#told(each))
      if (asked.dialect)
        this.#observer = new MeteredExchange(asked.dialect, { clock, onSign: () => undefined, onEnd })
      this.#running = transport.send(this.#request, this)
      if (this.#isPaused) this.#running.pause()
    } catch (error) {
      this.#handler.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Only the first ending counts. */
  #tell(ending: ExchangeEnding, isUnsent = false): void {
    if (!this.#isUnderWay) return
    this.#isUnderWay = false
    this.#isUnsent = isUnsent
    if (this.#observer) this.#observer.end(ending)
    else this.#told({ isWhole: false })
  }

  #told({ tokens, isWhole, failure }: Pick<Told, 'tokens' | 'isWhole' | 'failure'>): void {
    const { seat, asked } = this.#options
    const isError = (this.#status ?? 0) >= 400
    seat.after(asked, {
      tokens,
      isWhole,
      isFree: asked.kind === 'free' || this.#isUnsent || isError,
      status: this.#status ?? failure?.status,
      retryAfterMs: failure?.retryAfterMs,
    })
  }

  /** In a form in which agents of every provider find the message. */
  #refuse({ status, message, retryAfterMs }: Extract<GatewayWord, { kind: 'refuse' }>): void {
    const body = Buffer.from(
      JSON.stringify({ type: 'error', error: { type: errorType(status), code: status, message } }),
    )
    const wait =
      retryAfterMs === undefined ? [] : [header('Retry-After', String(Math.ceil(retryAfterMs / 1_000)))]
    const headers = [header('Content-Type', 'application/json'), ...wait]
    const length = header('Content-Length', String(body.length))
    this.#handler.head({ status, reason: STATUS_CODES[status] ?? '', headers: [...headers, length] })
    this.#handler.data(body)
    this.#handler.end()
  }
}

const unknownPlace = { kind: 'refuse', status: 404, message: 'No provider is here.' } as const

function errorType(status: number): string {
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error'
}
