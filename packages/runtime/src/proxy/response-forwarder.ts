import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { Log } from '../kit/index.ts'
import { type Answer, header } from './answer.ts'
import { endToEnd, headerMap } from './headers.ts'
import { type BodilessRequest, inOrder, type MiddlewareSteps, type ProxyResponse } from './middleware.ts'
import { maskedUrl } from './request-head.ts'
import type {
  ExchangeEnding,
  ExchangeObserver,
  ResponseHandler,
  ResponseHead,
  RunningRequest,
} from './transport.ts'

export interface ForwarderOptions {
  readonly answer: Answer
  readonly steps: MiddlewareSteps['onResponse']
  readonly request: BodilessRequest
  readonly observer: ExchangeObserver | undefined
  readonly log: Log
  /** The answer cannot be delivered. */
  readonly onFailure: (error: unknown) => void
}

const tag = 'LLM-PROXY'

/**
 * Step 5: from the upstream to the caller, through the response middleware. Where no middleware touches the body, its bytes
 * go straight from one socket to the other.
 */
export class ResponseForwarder implements ResponseHandler {
  readonly #options: ForwarderOptions
  #running: RunningRequest | undefined
  #response: ReceivedResponse | undefined
  /** The body goes where a middleware reads it, instead of to the caller. */
  #stream: Readable | undefined
  /** What came before the middleware was done. */
  #early: Buffer[] | undefined
  #isEnded = false
  /** The caller reads slowly: the upstream is to wait. */
  #isWaiting = false
  #isOver = false

  constructor(options: ForwarderOptions) {
    this.#options = options
  }

  begin(running: RunningRequest): void {
    this.#running = running
    if (this.#isOver) running.abort()
  }

  interim({ status, reason, headers }: ResponseHead): void {
    this.#options.answer.interim({ status, reason, headers: endToEnd(headers) })
  }

  head(head: ResponseHead): void {
    const { observer, steps, request, log, onFailure } = this.#options
    observer?.head?.(head)
    if (head.status !== 200)
      log.error(tag, `the upstream answered ${head.status} to ${request.method} ${maskedUrl(request.url)}`)
    this.#response = new ReceivedResponse(head, () => this.#openStream())
    try {
      const applied = inOrder(steps, this.#response as ProxyResponse, (step, response) =>
        step.onResponse(response, request),
      )
      if (!(applied instanceof Promise)) {
        this.#deliver(applied, head)
        return
      }
      this.#early = []
      applied.then(response => this.#deliver(response, head)).catch(onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

  data(bytes: Buffer): void {
    this.#options.observer?.data?.(bytes)
    if (this.#stream) {
      if (!this.#stream.push(bytes)) this.#running?.pause()
    } else if (this.#early) {
      this.#early.push(bytes)
      this.#running?.pause()
    } else this.#write(bytes)
  }

  end(): void {
    this.#isEnded = true
    this.#over('complete')
    if (this.#stream) this.#stream.push(null)
    else if (!this.#early) this.#options.answer.end()
  }

  fail(error: Error): void {
    this.#over('upstream-failed')
    this.#stream?.destroy(error)
    this.#options.onFailure(error)
  }

  /** The proxy itself cannot go on. */
  giveUp(): void {
    this.#over('proxy-failed')
    this.#running?.abort()
  }

  abort(): void {
    this.#over('caller-left')
    this.#stream?.destroy()
    this.#running?.abort()
  }

  #over(ending: ExchangeEnding): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.observer?.end(ending)
  }

  #write(bytes: Buffer): void {
    if (!this.#options.answer.data(bytes)) this.#waitForCaller()
  }

  #waitForCaller(): void {
    this.#running?.pause()
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#options.answer.onDrain(() => {
      this.#isWaiting = false
      this.#running?.resume()
    })
  }

  #deliver(response: ProxyResponse, head: ResponseHead): void {
    const early = this.#early ?? []
    this.#early = undefined
    const { answer } = this.#options
    if (response !== this.#response || this.#stream) {
      this.#deliverChanged(response, head)
      return
    }
    const headers = endToEnd(head.headers)
    // RFC 9110: a 204 has no length.
    const kept = head.status === 204 ? headers.filter(({ key }) => key !== 'content-length') : headers
    answer.head({ status: head.status, reason: head.reason, headers: kept })
    for (const bytes of early) this.#write(bytes)
    if (this.#isEnded) answer.end()
    else if (early.length > 0) this.#running?.resume()
  }

  /** A middleware has read the body or handed on another response. */
  #deliverChanged({ status, headers, body }: ProxyResponse, head: ResponseHead): void {
    const { answer, onFailure } = this.#options
    const list = Object.entries(headers).map(([name, value]) => header(name, value))
    const kept = endToEnd(list).filter(({ key }) => key !== 'content-length')
    const reason = status === head.status ? head.reason : (STATUS_CODES[status] ?? '')
    if (body instanceof Readable && this.#mayHaveBody(head)) {
      answer.head({ status, reason, headers: kept })
      void pour(body, answer).catch(onFailure)
      return
    }
    const bytes = Buffer.from(typeof body === 'string' ? body : '')
    answer.head({ status, reason, headers: [...kept, header('Content-Length', String(bytes.length))] })
    if (bytes.length > 0) answer.data(bytes)
    answer.end()
    // Nobody reads what the upstream still has to say.
    if (!this.#isEnded) this.abort()
  }

  #mayHaveBody({ status }: ResponseHead): boolean {
    return this.#options.request.method !== 'HEAD' && status !== 204 && status !== 304
  }

  #openStream(): Readable {
    const stream = new Readable({ read: () => this.#running?.resume() })
    stream.on('error', () => undefined)
    for (const bytes of this.#early ?? []) stream.push(bytes)
    if (this.#isEnded) stream.push(null)
    this.#stream = stream
    return stream
  }
}

/** What is left in the stream; nothing, when a middleware has read it to its end. */
async function pour(body: Readable, answer: Answer): Promise<void> {
  if (!body.readableEnded) {
    for await (const piece of body) {
      const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))
      if (bytes.length > 0 && !answer.data(bytes)) await new Promise<void>(resolve => answer.onDrain(resolve))
    }
  }
  answer.end()
}

/**
 * What came from the upstream. The map of headers and the stream of the body are made for who asks for them. A class,
 * because getters in an object literal are new code for the engine with every object, and cost more than all the rest.
 */
class ReceivedResponse implements ProxyResponse {
  readonly status: number
  readonly #head: ResponseHead
  readonly #open: () => Readable
  #body: Readable | undefined

  constructor(head: ResponseHead, open: () => Readable) {
    this.status = head.status
    this.#head = head
    this.#open = open
  }

  get headers(): Readonly<Record<string, string>> {
    return headerMap(this.#head.headers)
  }

  get body(): Readable {
    this.#body ??= this.#open()
    return this.#body
  }
}
