import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, OriginCheck } from '../kit/index.ts'
import { Answer, answerPlainly, refusalText } from './answer.ts'
import { Exchange, type ExchangeOptions } from './exchange.ts'
import { readHeaders, valuesOf } from './headers.ts'
import type { Incoming } from './received.ts'
import { type HeldBodies, type HeldBody, type RequestBody, readRequestBody } from './request-body.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'

export interface CallerConnectionOptions {
  readonly exchange: ExchangeOptions
  /** Asked before anything else about a request. */
  readonly originCheck: OriginCheck
  /** The upstream is only a part of its host: no path may climb out of it. */
  readonly refusesDots: boolean
  /** Larger bodies are forwarded as they come; so are those for which there is no room beside the others. */
  readonly mostHeld: number
  readonly held: HeldBodies
  /** How long a head may take from its first byte. */
  readonly headMs: number
  readonly clock: Clock
}

interface Message {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Refusal {
  readonly status: number
  readonly fault: string
}

/** `.` or `..` between slashes, however it is written, before the query. */
const dots = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i

/** Requests that a caller may send ahead while one is answered. */
const mostAhead = 32

/**
 * One caller: its requests one after the other. There is a limit of time on heads alone: bodies, answers and the pause
 * between two requests take as long as they like. A caller that closes the connection, also only for writing, is gone, and
 * its request to the upstream is aborted.
 */
export class CallerConnection {
  readonly #socket: Socket
  readonly #options: CallerConnectionOptions
  readonly #held: HeldBody
  readonly #ahead: Message[] = []
  #current: Message | undefined
  #body: RequestBody | undefined
  #exchange: Exchange | undefined
  /** Comes after the answers to what was sent before it. */
  #refusal: Refusal | undefined
  #isLeaving = false
  /** Bytes that belong to requests which were answered. */
  #bytesRead = 0
  /** When a head that is not whole yet was first seen. */
  #headSince: number | undefined

  constructor(socket: Socket, options: CallerConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#held = options.held.open()
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      this.#isLeaving = true
      this.#held.release()
      this.#body?.discard()
      this.#exchange?.abort()
    })
  }

  /** No request is open or begun: the caller would only have to connect again. */
  get isIdle(): boolean {
    return !this.#current && !this.#isLeaving && this.#socket.bytesRead === this.#bytesRead
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isLeaving) {
      request.resume()
      return
    }
    const message = { request, response }
    if (!this.#current) this.#begin(message)
    else if (this.#ahead.push(message) >= mostAhead) this.#socket.pause()
  }

  /** What came is not HTTP. */
  refuseMalformed(status: number, fault: string): void {
    if (this.#isLeaving || this.#refusal) return
    this.#refusal = { status, fault }
    const isAnswering = this.#current?.request.complete ?? false
    if (!isAnswering && this.#ahead.length === 0) this.#refuse(this.#refusal)
  }

  /** To be called now and then. */
  checkHead(): void {
    if (this.isIdle || this.#current || this.#isLeaving) {
      this.#headSince = undefined
      return
    }
    const { clock, headMs } = this.#options
    const now = clock.monotonic()
    this.#headSince ??= now
    if (now - this.#headSince >= headMs)
      this.#refuse({ status: 408, fault: `no whole head within ${headMs / 1_000} s` })
  }

  #begin(message: Message): void {
    const { request, response } = message
    this.#current = message
    // The rest of it was malformed.
    if (this.#refusal && !request.complete) {
      this.#refuse(this.#refusal)
      return
    }
    const { originCheck, refusesDots, mostHeld } = this.#options
    const headers = readHeaders(request.rawHeaders)
    const foreign = originCheck(name => valuesOf(headers, name))
    if (foreign !== undefined) {
      this.#refuse({ status: 403, fault: foreign })
      return
    }
    const read = readRequestHead(request, headers)
    if (!read.ok) {
      this.#refuse(read)
      return
    }
    const { head } = read
    if (refusesDots && dots.test(head.target)) {
      this.#refuse({ status: 400, fault: 'a path with dots' })
      return
    }
    if (!head.hasBody) {
      this.#answer(head, message, undefined)
      return
    }
    if (head.expectsContinue && !request.complete) response.writeContinue()
    this.#body = readRequestBody(request, {
      length: head.length,
      mostHeld,
      held: this.#held,
      onBody: body => this.#answer(head, message, body),
    })
  }

  #answer(head: RequestHead, { response }: Message, body: Incoming['body']): void {
    const answer = new Answer(response)
    response.on('finish', () => this.#answered(response))
    if (head.method === 'GET' && (head.target === '/health' || head.target === '/')) {
      answerPlainly(answer, 200, 'Weave Proxy OK')
      return
    }
    this.#exchange = new Exchange({ head, body }, answer, this.#options.exchange)
    this.#exchange.start()
  }

  #answered({ req, shouldKeepAlive }: ServerResponse): void {
    this.#exchange = undefined
    this.#current = undefined
    this.#held.release()
    // An answer that came before the whole request was read: what follows on this connection is not a head.
    if (!req.complete) {
      this.#leave()
      return
    }
    this.#body = undefined
    // Node.js closes it.
    if (!shouldKeepAlive) {
      this.#isLeaving = true
      return
    }
    const next = this.#ahead.shift()
    if (next) {
      this.#begin(next)
      return
    }
    this.#bytesRead = this.#socket.bytesRead
    if (this.#refusal) this.#refuse(this.#refusal)
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  #refuse({ status, fault }: Refusal): void {
    const wasAnswering = this.#exchange !== undefined
    this.#held.release()
    this.#exchange?.abort()
    this.#exchange = undefined
    this.#options.exchange.log.warn('LLM-PROXY', `refused a request: ${fault}`)
    if (wasAnswering) {
      this.#socket.destroy()
      return
    }
    // Nothing that would tell a page or a stranger what is here.
    this.#socket.write(refusalText(status, status === 403 ? '' : `Refused: ${fault}.`), 'latin1')
    this.#leave()
  }

  /** Lets what was written leave. What still comes is read and thrown away: a reset would overtake the answer. */
  #leave(): void {
    this.#isLeaving = true
    this.#body?.discard()
    for (const { request } of [...(this.#current ? [this.#current] : []), ...this.#ahead]) request.resume()
    this.#socket.resume()
    this.#socket.end()
    // A caller that does not close its end would keep its place for ever.
    const { clock, headMs } = this.#options
    const closed = new AbortController()
    this.#socket.once('close', () => closed.abort())
    clock.sleep(headMs, closed.signal).then(
      () => this.#socket.destroy(),
      () => undefined,
    )
  }
}
