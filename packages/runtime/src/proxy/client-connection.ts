import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Clock, RequestGate } from '../kit/index.ts'
import { AnswerWriter } from './answer-writer.ts'
import type { HeldBodies, HeldBody } from './held-bodies.ts'
import { answerPlainly, type Exchange, type PipelineOptions, startExchange } from './pipeline.ts'
import { BodyReader } from './wire/body-reader.ts'
import { createHeadBuffer } from './wire/head-buffer.ts'
import { valuesOf } from './wire/header.ts'
import { type RequestHead, readRequestHead } from './wire/request-head.ts'
import { sendNow } from './wire/turn.ts'

export interface ClientConnectionOptions {
  readonly pipeline: PipelineOptions
  /** Asked before a request is anything but headers. */
  readonly gate: RequestGate
  /** The upstream is only a part of its host: no path may climb out of it. */
  readonly refusesDots: boolean
  /** Larger bodies are forwarded as they come; so are those for which there is no room beside the others. */
  readonly mostHeld: number
  readonly held: HeldBodies
  /** How long a head may take from its first byte. */
  readonly headMs: number
  readonly clock: Clock
}

interface Request {
  readonly head: RequestHead
  readonly body: BodyReader
  pieces: Buffer[]
  size: number
  /** Of a body that is too large to hold. */
  stream?: Readable
}

/** `.` or `..` between slashes, however it is written, before the query. */
const dots = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i

/** What a caller may send ahead while it is answered. */
const mostAhead = 64 * 1024

/**
 * One caller: its requests one after the other. There is a limit of time on heads alone: bodies, answers and the pause
 * between two requests take as long as they like. Whoever closes the connection, also only for writing, is gone, and what
 * was asked for on its behalf is given up.
 */
export class ClientConnection {
  readonly #socket: Socket
  readonly #options: ClientConnectionOptions
  readonly #held: HeldBody
  #heads = createHeadBuffer()
  /** Of a head that is not whole yet. */
  #patience: AbortController | undefined
  #request: Request | undefined
  #exchange: Exchange | undefined
  /** An answer is being written. */
  #isBusy = false
  #ahead: Buffer[] = []
  #aheadSize = 0

  constructor(socket: Socket, options: ClientConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#held = options.held.open()
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('error', () => undefined)
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      this.#headIsOver()
      this.#held.release()
      this.#request?.stream?.destroy()
      this.#exchange?.abort()
    })
  }

  /** Nothing is asked or half asked: whoever is there would only have to come again. */
  get isIdle(): boolean {
    return !this.#isBusy && !this.#patience
  }

  #waitForHead(): void {
    if (this.#patience) return
    this.#patience = new AbortController()
    const { clock, headMs } = this.#options
    clock.sleep(headMs, this.#patience.signal).then(
      () => this.#refuse(408, `no whole head within ${headMs / 1_000} s`),
      () => undefined,
    )
  }

  #headIsOver(): void {
    this.#patience?.abort()
    this.#patience = undefined
  }

  #take(bytes: Buffer): void {
    if (this.#request) {
      this.#takeBody(this.#request, bytes)
      return
    }
    if (this.#isBusy) {
      this.#keep(bytes)
      return
    }
    const taken = this.#heads.push(bytes)
    if (taken.kind === 'more') {
      this.#waitForHead()
      return
    }
    this.#headIsOver()
    if (taken.kind === 'fault') {
      this.#refuse(taken.isTooLong ? 431 : 400, taken.fault)
      return
    }
    const read = readRequestHead(taken.text)
    if (!read.ok) {
      this.#refuse(read.status, read.fault)
      return
    }
    const refusal = this.#options.gate(name => valuesOf(read.head.headers, name))
    if (refusal !== undefined) {
      this.#refuse(403, refusal)
      return
    }
    if (this.#options.refusesDots && dots.test(read.head.target)) {
      this.#refuse(400, 'a path with dots')
      return
    }
    this.#begin(read.head, taken.rest)
  }

  #begin(head: RequestHead, rest: Buffer): void {
    this.#isBusy = true
    const body = new BodyReader(head.framing)
    if (body.isDone) {
      this.#keep(rest)
      this.#answer(head, undefined)
      return
    }
    const request: Request = { head, body, pieces: [], size: 0 }
    this.#request = request
    if (head.expectsContinue && rest.length === 0) {
      sendNow()
      this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n')
    }
    if (head.framing.kind === 'length' && head.framing.length > this.#options.mostHeld) this.#stream(request)
    if (rest.length > 0) this.#takeBody(request, rest)
  }

  #takeBody(request: Request, bytes: Buffer): void {
    const progress = request.body.push(bytes)
    if (progress.kind === 'fault') {
      this.#refuse(400, progress.fault)
      return
    }
    if (progress.data) this.#collect(request, progress.data)
    if (progress.kind === 'more') return
    this.#request = undefined
    this.#keep(progress.rest)
    if (request.stream) request.stream.push(null)
    else this.#answer(request.head, joined(request.pieces))
  }

  #collect(request: Request, data: Buffer): void {
    if (request.stream) {
      if (!request.stream.push(data)) this.#socket.pause()
      return
    }
    request.pieces.push(data)
    request.size += data.length
    if (request.size > this.#options.mostHeld || !this.#held.add(data.length)) this.#stream(request)
  }

  /** From here on the body goes through as it comes. */
  #stream(request: Request): void {
    const stream = new Readable({
      read: () => {
        // Asked for when what was held is nearly gone.
        this.#held.release()
        this.#socket.resume()
      },
    })
    stream.on('error', () => undefined)
    for (const piece of request.pieces) stream.push(piece)
    request.pieces = []
    request.stream = stream
    this.#answer(request.head, stream)
  }

  #answer(head: RequestHead, body: Buffer | Readable | undefined): void {
    const writer = new AnswerWriter({
      socket: this.#socket,
      request: head,
      onEnd: keepAlive => this.#answered(keepAlive),
    })
    if (head.method === 'GET' && (head.target === '/health' || head.target === '/')) {
      answerPlainly(writer, 200, 'Weave Proxy OK')
      return
    }
    const { pipeline } = this.#options
    const exchange = startExchange({ head, body }, writer, pipeline)
    if (this.#isBusy) this.#exchange = exchange
  }

  #answered(keepAlive: boolean): void {
    this.#exchange = undefined
    this.#held.release()
    // An answer that came before the whole request was read: what follows on this connection is not a head.
    if (!keepAlive || this.#request) {
      this.#request?.stream?.destroy()
      this.#leave()
      return
    }
    this.#isBusy = false
    if (this.#ahead.length > 0) queueMicrotask(() => this.#next())
  }

  #next(): void {
    const bytes = joined(this.#ahead)
    this.#ahead = []
    this.#aheadSize = 0
    this.#socket.resume()
    if (bytes && !this.#socket.destroyed) this.#take(bytes)
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#ahead.push(bytes)
    this.#aheadSize += bytes.length
    if (this.#aheadSize > mostAhead) this.#socket.pause()
  }

  #refuse(status: number, fault: string): void {
    const wasAnswering = this.#exchange !== undefined
    this.#isBusy = true
    this.#held.release()
    this.#exchange?.abort()
    this.#exchange = undefined
    this.#request?.stream?.destroy()
    this.#request = undefined
    this.#options.pipeline.log.warn('LLM-PROXY', `refused a request: ${fault}`)
    if (wasAnswering) {
      sendNow()
      this.#socket.destroy()
      return
    }
    const request = { minor: 1, keepAlive: false }
    answerPlainly(
      new AnswerWriter({ socket: this.#socket, request, onEnd: () => this.#leave() }),
      status,
      // Nothing that would tell a page or a stranger what is here.
      status === 403 ? '' : `Refused: ${fault}.`,
    )
  }

  /** Lets what was written leave. What still comes is read and thrown away: a reset would overtake the answer. */
  #leave(): void {
    const socket = this.#socket
    socket.removeAllListeners('data')
    socket.on('data', () => undefined)
    socket.resume()
    sendNow()
    process.nextTick(() => socket.end(() => this.#cutLater()))
  }

  /** Whoever does not close its end would keep its place for ever. */
  #cutLater(): void {
    const { clock, headMs } = this.#options
    const patience = new AbortController()
    this.#socket.once('close', () => patience.abort())
    clock.sleep(headMs, patience.signal).then(
      () => this.#socket.destroy(),
      () => undefined,
    )
  }
}

function joined(pieces: readonly Buffer[]): Buffer | undefined {
  return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]
}
