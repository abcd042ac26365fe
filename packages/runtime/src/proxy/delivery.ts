import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { Log } from '../kit/index.ts'
import type { AnswerWriter } from './answer-writer.ts'
import type { ExchangeEnding, ExchangeObserver } from './exchange-observer.ts'
import { maskedUrl } from './masked-url.ts'
import { type BodilessRequest, inOrder, type MiddlewareSteps, type ProxyResponse } from './middleware.ts'
import { ReceivedResponse } from './received-response.ts'
import type { Receiver, Sending } from './transport.ts'
import { endToEnd } from './wire/hop-by-hop.ts'
import type { ResponseHead } from './wire/response-head.ts'

export interface DeliveryOptions {
  readonly writer: AnswerWriter
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
export class Delivery implements Receiver {
  readonly #options: DeliveryOptions
  #sending: Sending | undefined
  #response: ReceivedResponse | undefined
  /** The body goes where a middleware reads it, instead of to the caller. */
  #stream: Readable | undefined
  /** What came before the middleware was done. */
  #early: Buffer[] | undefined
  #isEnded = false
  /** The caller reads slowly: the upstream is to wait. */
  #isWaiting = false
  #isOver = false

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  begin(sending: Sending): void {
    this.#sending = sending
    if (this.#isOver) sending.abort()
  }

  interim({ status, reason, headers }: ResponseHead): void {
    if (!this.#options.writer.interim({ status, reason, headers: endToEnd(headers) })) this.#waitForCaller()
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
      if (!this.#stream.push(bytes)) this.#sending?.pause()
    } else if (this.#early) {
      this.#early.push(bytes)
      this.#sending?.pause()
    } else this.#write(bytes)
  }

  end(): void {
    this.#isEnded = true
    this.#over('complete')
    if (this.#stream) this.#stream.push(null)
    else if (!this.#early) this.#options.writer.end()
  }

  fail(error: Error): void {
    this.#over('upstream-failed')
    this.#stream?.destroy(error)
    this.#options.onFailure(error)
  }

  /** The proxy itself cannot go on. */
  giveUp(): void {
    this.#over('proxy-failed')
    this.#sending?.abort()
  }

  abort(): void {
    this.#over('caller-left')
    this.#stream?.destroy()
    this.#sending?.abort()
  }

  #over(ending: ExchangeEnding): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.observer?.end(ending)
  }

  #write(bytes: Buffer): void {
    if (!this.#options.writer.data(bytes)) this.#waitForCaller()
  }

  #waitForCaller(): void {
    this.#sending?.pause()
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#options.writer.onDrain(() => {
      this.#isWaiting = false
      this.#sending?.resume()
    })
  }

  #deliver(response: ProxyResponse, head: ResponseHead): void {
    const early = this.#early ?? []
    this.#early = undefined
    const { writer } = this.#options
    if (response !== this.#response || this.#stream) {
      this.#deliverChanged(response, head)
      return
    }
    writer.head({ ...head, headers: endToEnd(head.headers) })
    for (const bytes of early) this.#write(bytes)
    if (this.#isEnded) writer.end()
    else if (early.length > 0) this.#sending?.resume()
  }

  /** A middleware has read the body or handed on another response. */
  #deliverChanged({ status, headers, body }: ProxyResponse, head: ResponseHead): void {
    const { writer, onFailure } = this.#options
    const list = Object.entries(headers).map(([name, value]) => ({ name, key: name.toLowerCase(), value }))
    const kept = endToEnd(list).filter(({ key }) => key !== 'content-length')
    const reason = status === head.status ? head.reason : (STATUS_CODES[status] ?? '')
    if (body instanceof Readable && head.framing.kind !== 'none') {
      writer.head({ status, reason, headers: kept, framing: { kind: 'chunked' } })
      void pour(body, writer).catch(onFailure)
      return
    }
    const bytes = Buffer.from(typeof body === 'string' ? body : '')
    const length = { name: 'Content-Length', key: 'content-length', value: String(bytes.length) }
    writer.head({
      status,
      reason,
      headers: [...kept, length],
      framing: { kind: 'length', length: bytes.length },
    })
    if (bytes.length > 0) writer.data(bytes)
    writer.end()
    // Nobody reads what the upstream still has to say.
    if (!this.#isEnded) this.abort()
  }

  #openStream(): Readable {
    const stream = new Readable({ read: () => this.#sending?.resume() })
    stream.on('error', () => undefined)
    for (const bytes of this.#early ?? []) stream.push(bytes)
    if (this.#isEnded) stream.push(null)
    this.#stream = stream
    return stream
  }
}

/** What is left in the stream; nothing, when a middleware has read it to its end. */
async function pour(body: Readable, writer: AnswerWriter): Promise<void> {
  if (!body.readableEnded) {
    for await (const piece of body) {
      const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))
      if (bytes.length > 0 && !writer.data(bytes)) await new Promise<void>(resolve => writer.onDrain(resolve))
    }
  }
  writer.end()
}
