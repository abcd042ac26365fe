import type { Socket } from 'node:net'
import { lastChunk } from './wire/chunk.ts'
import type { Framing } from './wire/framing.ts'
import { headText } from './wire/head-text.ts'
import type { Header } from './wire/header.ts'
import type { RequestHead } from './wire/request-head.ts'
import { type Sender, sendAtEndOfTurn, sendNow } from './wire/turn.ts'
import { writeParts } from './wire/write-parts.ts'

export interface AnswerHead {
  readonly status: number
  readonly reason: string
  /** Without those of one hop. */
  readonly headers: readonly Header[]
  readonly framing: Framing
}

export interface AnswerWriterOptions {
  readonly socket: Socket
  readonly request: Pick<RequestHead, 'minor' | 'keepAlive'>
  /** The answer is written, and whether the connection may go on. */
  readonly onEnd: (keepAlive: boolean) => void
}

/** What a caller that reads slowly may leave in memory. */
const mostWaiting = 256 * 1024

/** Writes one answer to the caller. What is written in one turn leaves in one piece. */
export class AnswerWriter implements Sender {
  readonly #options: AnswerWriterOptions
  #hasBegun = false
  #isChunked = false
  #keepAlive: boolean
  /** Of this turn, not written yet. */
  #parts: (string | Buffer)[] = []
  #waiting = 0

  constructor(options: AnswerWriterOptions) {
    this.#options = options
    this.#keepAlive = options.request.keepAlive
  }

  /** Nothing else can be answered any more. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** An answer before the answer; HTTP/1.0 knows none. False: wait for `onDrain` before there is more. */
  interim({ status, reason, headers }: Omit<AnswerHead, 'framing'>): boolean {
    if (this.#options.request.minor === 1) this.#write(headText(`HTTP/1.1 ${status} ${reason}`, headers))
    return this.#mayGoOn()
  }

  head({ status, reason, headers, framing }: AnswerHead): void {
    this.#hasBegun = true
    const isOpen = framing.kind === 'chunked' || framing.kind === 'until-close'
    this.#isChunked = isOpen && this.#options.request.minor === 1
    if (isOpen && !this.#isChunked) this.#keepAlive = false
    // Where there is no body by rule, a length says what there would have been; in a 204 it may not stand.
    const kept = isOpen || status === 204 ? headers.filter(({ key }) => key !== 'content-length') : headers
    const own = [
      ...(this.#isChunked ? [{ name: 'Transfer-Encoding', value: 'chunked' }] : []),
      ...(status === 204 ? [] : missingLength(kept, framing)),
      ...(this.#keepAlive ? [] : [{ name: 'Connection', value: 'close' }]),
    ]
    this.#write(headText(`HTTP/1.1 ${status} ${reason}`, own.length > 0 ? [...kept, ...own] : kept))
  }

  /** Not empty. False: wait for `onDrain` before there is more. */
  data(bytes: Buffer): boolean {
    if (this.#isChunked) this.#write(`${bytes.length.toString(16)}\r\n`)
    this.#write(bytes)
    if (this.#isChunked) this.#write('\r\n')
    return this.#mayGoOn()
  }

  /** Calls once, when what was written has left. */
  onDrain(go: () => void): void {
    this.#options.socket.once('drain', go)
  }

  end(): void {
    if (this.#isChunked) this.#write(lastChunk)
    this.#options.onEnd(this.#keepAlive)
  }

  /** The answer will never be whole. The caller sees that by an end before the end; where that is no sign, by a reset. */
  cut(): void {
    const { socket, request } = this.#options
    sendNow()
    if (request.minor === 0) socket.resetAndDestroy()
    else socket.destroySoon()
  }

  /** One system call for everything of this turn. */
  flush(): void {
    const parts = this.#parts
    if (parts.length === 0) return
    this.#parts = []
    this.#waiting = 0
    writeParts(this.#options.socket, parts)
  }

  #mayGoOn(): boolean {
    return this.#options.socket.writableLength + this.#waiting < mostWaiting
  }

  #write(part: string | Buffer): void {
    if (this.#parts.length === 0) sendAtEndOfTurn(this)
    this.#parts.push(part)
    this.#waiting += part.length
  }
}

/** `Connection` may have named the length: then it was for the last hop, but this one needs a length too. */
function missingLength(headers: readonly Header[], framing: Framing): readonly Omit<Header, 'key'>[] {
  if (framing.kind !== 'length' || headers.some(({ key }) => key === 'content-length')) return []
  return [{ name: 'Content-Length', value: String(framing.length) }]
}
