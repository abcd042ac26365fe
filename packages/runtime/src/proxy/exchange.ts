import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { Log } from '../kit/index.ts'
import { type Answer, answerPlainly, header } from './answer.ts'
import { endToEnd } from './headers.ts'
import { type BodilessRequest, inOrder, type MiddlewareSteps, type ProxyResponse } from './middleware.ts'
import { type Incoming, ReceivedRequest, ReceivedResponse } from './received.ts'
import { maskedUrl } from './request-head.ts'
import type {
  ExchangeEnding,
  ExchangeObserver,
  Observe,
  OutgoingRequest,
  ResponseHandler,
  ResponseHead,
  RunningRequest,
  Transport,
} from './transport.ts'

export interface ExchangeOptions {
  readonly steps: MiddlewareSteps
  readonly transport: Transport
  readonly observe?: Observe | undefined
  readonly log: Log
}

const tag = 'LLM-PROXY'

/**
 * One request and its answer, in five steps: extract, request middleware, serialise, send, response middleware. Whatever fails
 * before an answer has begun is answered with `Proxy Error`. Where no middleware touches the body of an answer, its bytes go
 * straight from one socket to the other.
 */
export class Exchange implements ResponseHandler {
  readonly #incoming: Incoming
  readonly #answer: Answer
  readonly #options: ExchangeOptions
  readonly #received: ReceivedRequest
  /** What the middleware made of it. */
  #request: BodilessRequest
  #observer: ExchangeObserver | undefined
  #running: RunningRequest | undefined
  #response: ReceivedResponse | undefined
  /** The body goes where a middleware reads it, instead of to the caller. */
  #stream: Readable | undefined
  /** What came before the middleware was done. */
  #early: Buffer[] | undefined
  /** The upstream has said everything. */
  #isEnded = false
  /** The caller reads slowly: the upstream is to wait. */
  #isWaiting = false
  /** Failed, or the caller is gone. */
  #isOver = false

  constructor(incoming: Incoming, answer: Answer, options: ExchangeOptions) {
    this.#incoming = incoming
    this.#answer = answer
    this.#options = options
    this.#received = new ReceivedRequest(incoming, options.log)
    this.#request = this.#received
  }

  start(): void {
    const received = this.#received
    const { steps } = this.#options
    try {
      const applied = inOrder(steps.onRequest, this.#request, (step, request) =>
        step.onRequest(request, received.text),
      )
      if (applied instanceof Promise)
        applied.then(request => this.#send(request)).catch((error: unknown) => this.#fail(error))
      else this.#send(applied)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The caller is gone. */
  abort(): void {
    this.#isOver = true
    this.#tell(this.#isEnded ? 'complete' : 'caller-left')
    this.#stream?.destroy()
    this.#running?.abort()
  }

  interim({ status, reason, headers }: ResponseHead): void {
    this.#answer.interim({ status, reason, headers: endToEnd(headers) })
  }

  head(head: ResponseHead): void {
    const { steps, log } = this.#options
    const request = this.#request
    this.#observer?.head?.(head)
    if (head.status !== 200)
      log.error(tag, `the upstream answered ${head.status} to ${request.method} ${maskedUrl(request.url)}`)
    const received = new ReceivedResponse(head, () => this.#openStream())
    this.#response = received
    try {
      const applied = inOrder(steps.onResponse, received as ProxyResponse, (step, response) =>
        step.onResponse(response, request),
      )
      if (!(applied instanceof Promise)) {
        this.#deliver(applied, head)
        return
      }
      this.#early = []
      applied.then(response => this.#deliver(response, head)).catch((error: unknown) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }

  data(bytes: Buffer): void {
    this.#observer?.data?.(bytes)
    if (this.#stream) {
      if (!this.#stream.push(bytes)) this.#running?.pause()
    } else if (this.#early) {
      this.#early.push(bytes)
      this.#running?.pause()
    } else this.#write(bytes)
  }

  end(): void {
    this.#isEnded = true
    if (!this.#stream && !this.#early) {
      // Nobody waits for the observer.
      this.#answer.end(() => this.#tell('complete'))
      return
    }
    this.#tell('complete')
    this.#stream?.push(null)
  }

  fail(error: Error): void {
    this.#tell('upstream-failed')
    this.#stream?.destroy(error)
    this.#fail(error)
  }

  #send(request: BodilessRequest): void {
    if (this.#isOver) return
    const { transport, observe } = this.#options
    const outgoing = outgoingOf(this.#incoming, serialized(request, this.#received))
    this.#request = request
    this.#observer = observe?.(outgoing, request)
    this.#running = transport.send(outgoing, this)
  }

  /** The exchange cannot go on. */
  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    const { method, target } = this.#incoming.head
    this.#options.log.error(tag, `${method} ${maskedUrl(target)} failed`, { error })
    this.#tell('proxy-failed')
    this.#running?.abort()
    if (this.#answer.hasBegun) this.#answer.cut()
    else answerPlainly(this.#answer, 500, 'Proxy Error')
  }

  /** Only the first ending counts. */
  #tell(ending: ExchangeEnding): void {
    const observer = this.#observer
    this.#observer = undefined
    observer?.end(ending)
  }

  #write(bytes: Buffer): void {
    if (this.#answer.data(bytes)) return
    this.#running?.pause()
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#answer.onDrain(() => {
      this.#isWaiting = false
      this.#running?.resume()
    })
  }

  #deliver(response: ProxyResponse, head: ResponseHead): void {
    const early = this.#early ?? []
    this.#early = undefined
    if (response !== this.#response || this.#stream) {
      this.#deliverChanged(response, head)
      return
    }
    const headers = endToEnd(head.headers)
    // RFC 9110: a 204 has no length.
    const kept = head.status === 204 ? headers.filter(({ key }) => key !== 'content-length') : headers
    this.#answer.head({ status: head.status, reason: head.reason, headers: kept })
    for (const bytes of early) this.#write(bytes)
    if (this.#isEnded) this.#answer.end()
    else if (early.length > 0) this.#running?.resume()
  }

  /** A middleware has read the body or handed on another response. */
  #deliverChanged({ status, headers, body }: ProxyResponse, head: ResponseHead): void {
    const answer = this.#answer
    const list = Object.entries(headers).map(([name, value]) => header(name, value))
    const kept = endToEnd(list).filter(({ key }) => key !== 'content-length')
    const reason = status === head.status ? head.reason : (STATUS_CODES[status] ?? '')
    const mayHaveBody = this.#request.method !== 'HEAD' && head.status !== 204 && head.status !== 304
    if (body instanceof Readable && mayHaveBody) {
      answer.head({ status, reason, headers: kept })
      pour(body, answer).catch((error: unknown) => this.#fail(error))
      return
    }
    const bytes = Buffer.from(typeof body === 'string' ? body : '')
    answer.head({ status, reason, headers: [...kept, header('Content-Length', String(bytes.length))] })
    if (bytes.length > 0) answer.data(bytes)
    answer.end()
    // Nobody reads what the upstream still has to say.
    if (!this.#isEnded) this.abort()
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

/**
 * Step 3. Data that no middleware changed is in the body already, in the very bytes of the caller; anything else would
 * change what travels.
 */
function serialized(request: BodilessRequest, received: ReceivedRequest): Buffer | undefined {
  if (request === received) return undefined
  const before = received.messagesRequestData
  const data = request.messagesRequestData
  return data === undefined || data === before ? undefined : Buffer.from(JSON.stringify(data))
}

/** Step 4, as far as it is ours: the transport sets `Host` and the length of what is sent. */
function outgoingOf({ head, body }: Incoming, replaced: Buffer | undefined): OutgoingRequest {
  return {
    method: head.method,
    target: head.target,
    headers: endToEnd(head.headers).filter(({ key }) => key !== 'host' && key !== 'content-length'),
    body: replaced ?? body,
    streamLength: head.length,
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
