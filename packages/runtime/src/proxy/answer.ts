import { type ServerResponse, STATUS_CODES } from 'node:http'
import { type Header, rawHeaders } from './headers.ts'
import { joined } from './request-body.ts'

export interface AnswerHead {
  readonly status: number
  readonly reason: string
  /** Without hop-by-hop ones. */
  readonly headers: readonly Header[]
}

/** Bytes that a caller that reads slowly may leave in memory. */
const mostWaiting = 256 * 1024

/** One answer to a caller. What is written in one tick leaves in one piece. */
export class Answer {
  /** They leave together: a send that wakes a sleeping program costs several times as much as the next one. */
  static #scheduled: Answer[] = []
  readonly #response: ServerResponse
  #head: AnswerHead | undefined
  #hasBegun = false
  #pieces: Buffer[] = []
  #size = 0
  #isEnded = false
  #afterwards: (() => void) | undefined
  #isScheduled = false

  constructor(response: ServerResponse) {
    this.#response = response
    response.sendDate = false
    // HTTP/1.0 needs no kept connections; in HTTP/1.1 they are kept unless somebody says otherwise.
    if (response.req.httpVersionMinor === 0) response.shouldKeepAlive = false
    else if (response.shouldKeepAlive) response.removeHeader('connection')
  }

  /** Nothing else can be answered any more. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** An interim answer (1xx). It is only a hint: HTTP/1.0 has none, and a caller that reads slowly does without. */
  interim(head: AnswerHead): void {
    const { req, socket } = this.#response
    if (req.httpVersionMinor === 1 && this.#mayGoOn()) socket?.write(headText(head), 'latin1')
  }

  head(head: AnswerHead): void {
    this.#hasBegun = true
    this.#head = head
    this.#schedule()
  }

  /** Not empty. False: wait for `onDrain` before there is more. */
  data(bytes: Buffer): boolean {
    this.#pieces.push(bytes)
    this.#size += bytes.length
    this.#schedule()
    return this.#mayGoOn()
  }

  /** Calls once, when what was written has left. */
  onDrain(go: () => void): void {
    this.#flush()
    this.#response.once('drain', go)
  }

  /** `afterwards` is called when everything has been handed to the system. */
  end(afterwards?: () => void): void {
    this.#isEnded = true
    this.#afterwards = afterwards
    this.#schedule()
  }

  /** The answer will never be whole: close early; for HTTP/1.0, where a close is the end of every body, reset. */
  cut(): void {
    this.#flush()
    const { req, socket } = this.#response
    if (req.httpVersionMinor === 0) socket?.resetAndDestroy()
    // Newer versions of Node keep what was just written until the end of the tick.
    else process.nextTick(() => socket?.destroySoon())
  }

  #mayGoOn(): boolean {
    return this.#response.writableLength + this.#size < mostWaiting
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    if (Answer.#scheduled.push(this) === 1) setImmediate(Answer.#flushAll)
  }

  static readonly #flushAll = (): void => {
    const answers = Answer.#scheduled
    Answer.#scheduled = []
    for (const answer of answers) answer.#flush()
    for (const answer of answers) answer.#afterwards?.()
  }

  #flush(): void {
    this.#isScheduled = false
    const response = this.#response
    if (response.writableEnded || response.destroyed) return
    const head = this.#head
    this.#head = undefined
    if (head) response.writeHead(head.status, head.reason, rawHeaders(head.headers))
    const pieces = this.#pieces
    this.#pieces = []
    this.#size = 0
    if (this.#isEnded) response.end(pieces.length > 0 ? joined(pieces) : undefined)
    else if (pieces.length > 0) response.write(joined(pieces))
    else if (head) response.flushHeaders()
  }
}

/** An answer of our own. */
export function answerPlainly(answer: Answer, status: number, text: string): void {
  answer.head(plainHead(status, text))
  if (text !== '') answer.data(Buffer.from(text))
  answer.end()
}

/** A refusal as it goes over the wire, after which the connection closes. */
export function refusalText(status: number, text: string): string {
  const { reason, headers } = plainHead(status, text)
  return headText({ status, reason, headers: [...headers, header('Connection', 'close')] }) + text
}

function plainHead(status: number, text: string): AnswerHead {
  const headers = [header('Content-Type', 'text/plain'), header('Content-Length', String(text.length))]
  return { status, reason: STATUS_CODES[status] ?? '', headers }
}

export function header(name: string, value: string): Header {
  return { name, key: name.toLowerCase(), value }
}

function headText({ status, reason, headers }: AnswerHead): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`
}
