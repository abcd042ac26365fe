import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { OutgoingRequest, Receiver } from '../transport.ts'
import { BodyReader } from '../wire/body-reader.ts'
import { chunkOf, lastChunk } from '../wire/chunk.ts'
import { createHeadBuffer, type HeadBuffer } from '../wire/head-buffer.ts'
import { firstValue } from '../wire/header.ts'
import { type ResponseHead, readResponseHead } from '../wire/response-head.ts'
import { type Sender, sendAtEndOfTurn } from '../wire/turn.ts'
import { writeParts } from '../wire/write-parts.ts'

export interface UpstreamEvents {
  /** The connection may be used again, for this many milliseconds. */
  idle(connection: UpstreamConnection, forMs: number): void
  closed(connection: UpstreamConnection): void
}

export interface Job {
  readonly request: OutgoingRequest
  /** The head of the request, ready for the wire. */
  readonly text: string
  readonly receiver: Receiver
  /** In place of `receiver.fail` when the connection was lost before the first byte of an answer. */
  readonly onUnanswered?: ((error: Error) => void) | undefined
}

interface Answer {
  readonly job: Job
  readonly heads: HeadBuffer
  head: ResponseHead | undefined
  body: BodyReader | undefined
  hasBegun: boolean
  isSent: boolean
}

/** How long an upstream keeps an idle connection that says nothing about it. */
const usualIdle = 30_000

/**
 * One connection to the upstream, one request at a time. It goes back to the idle ones only when request and answer were
 * both whole and not a byte came besides: what an upstream sends unasked must never answer the next request.
 */
export class UpstreamConnection implements Sender {
  readonly #socket: Socket
  readonly #events: UpstreamEvents
  #answer: Answer | undefined
  /** Of the request, not written yet. */
  #parts: readonly (string | Buffer)[] = []
  #error: Error | undefined

  constructor(socket: Socket, events: UpstreamEvents) {
    this.#socket = socket
    this.#events = events
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('end', () => this.#ended())
    socket.on('error', error => {
      this.#error = error
    })
    socket.on('close', () => {
      events.closed(this)
      this.#fail(this.#error ?? new Error('The upstream closed the connection.'))
    })
  }

  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  send(job: Job): void {
    const { request, text } = job
    this.#answer = {
      job,
      heads: createHeadBuffer(),
      head: undefined,
      body: undefined,
      hasBegun: false,
      isSent: true,
    }
    const { body } = request
    if (body === undefined || Buffer.isBuffer(body)) {
      this.#parts = body ? [text, body] : [text]
      sendAtEndOfTurn(this)
      return
    }
    this.#socket.cork()
    this.#socket.write(text, 'latin1')
    this.#stream(body, this.#answer)
    this.#socket.uncork()
  }

  flush(): void {
    const parts = this.#parts
    this.#parts = []
    writeParts(this.#socket, parts)
  }

  /** Like the next two: nothing happens when the job is over, since the connection may have another by then. */
  pause(job: Job): void {
    if (this.#answer?.job === job) this.#socket.pause()
  }

  resume(job: Job): void {
    if (this.#answer?.job === job) this.#socket.resume()
  }

  abort(job: Job): void {
    if (this.#answer?.job === job) this.destroy()
  }

  destroy(): void {
    this.#answer = undefined
    this.#socket.destroy()
  }

  #stream(body: Readable, answer: Answer): void {
    const socket = this.#socket
    const isChunked = answer.job.request.streamLength === undefined
    answer.isSent = false
    const go = (): void => void body.resume()
    body.on('data', (bytes: Buffer) => {
      if (!socket.write(isChunked ? chunkOf(bytes) : bytes)) body.pause()
    })
    socket.on('drain', go)
    body.once('end', () => {
      if (isChunked && this.#answer === answer) socket.write(lastChunk, 'latin1')
      answer.isSent = true
    })
    body.once('close', () => {
      socket.off('drain', go)
      // The caller left in the middle: half a request must not look like a whole one.
      if (!answer.isSent && this.#answer === answer) this.destroy()
    })
  }

  #take(bytes: Buffer): void {
    const answer = this.#answer
    if (!answer) {
      this.#socket.destroy()
      return
    }
    answer.hasBegun = true
    const rest = answer.head ? bytes : this.#takeHead(answer, bytes)
    const { body } = answer
    if (rest === undefined || !body || this.#answer !== answer) return
    if (body.isDone) {
      this.#finish(answer, rest)
      return
    }
    if (rest.length === 0) return
    const progress = body.push(rest)
    if (progress.kind === 'fault') {
      this.#refuse(progress.fault)
      return
    }
    if (progress.data !== undefined && progress.data.length > 0) answer.job.receiver.data(progress.data)
    if (progress.kind === 'done' && this.#answer === answer) this.#finish(answer, progress.rest)
  }

  /** The bytes behind the head; undefined while it is not whole. */
  #takeHead(answer: Answer, bytes: Buffer): Buffer | undefined {
    const { request, receiver } = answer.job
    for (let rest = bytes; ; ) {
      const taken = answer.heads.push(rest)
      if (taken.kind === 'more') return undefined
      const read = taken.kind === 'head' ? readResponseHead(taken.text, request.method) : undefined
      if (taken.kind === 'fault' || !read?.ok) {
        this.#refuse(taken.kind === 'fault' ? taken.fault : read?.ok === false ? read.fault : '')
        return undefined
      }
      const { head } = read
      if (head.status === 101) {
        this.#refuse('a change of protocol that nobody asked for')
        return undefined
      }
      if (head.status >= 200) {
        answer.head = head
        answer.body = new BodyReader(head.framing)
        receiver.head(head)
        return taken.rest
      }
      if (head.status !== 100) receiver.interim(head)
      if (taken.rest.length === 0) return undefined
      rest = taken.rest
    }
  }

  #finish(answer: Answer, rest: Buffer): void {
    this.#answer = undefined
    const idleMs = idleTimeOf(answer.head)
    if (answer.head?.keepAlive && answer.isSent && rest.length === 0 && idleMs > 0 && this.isUsable) {
      this.#socket.resume()
      this.#events.idle(this, idleMs)
    } else this.#socket.destroy()
    answer.job.receiver.end()
  }

  #ended(): void {
    const answer = this.#answer
    if (answer?.head?.framing.kind === 'until-close' && !this.#error) this.#finish(answer, empty)
    else this.#socket.destroy()
  }

  #refuse(fault: string): void {
    this.#fail(new Error(`The upstream sent ${fault}.`))
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    const answer = this.#answer
    if (!answer) return
    this.#answer = undefined
    const { receiver, onUnanswered } = answer.job
    if (!answer.hasBegun && onUnanswered) onUnanswered(error)
    else receiver.fail(error)
  }
}

const empty = Buffer.alloc(0)

/** A little less than the upstream says it waits, so that no request meets a connection that is being closed. */
function idleTimeOf(head: ResponseHead | undefined): number {
  const said = /\btimeout=(\d{1,6})\b/.exec(firstValue(head?.headers ?? [], 'keep-alive') ?? '')?.[1]
  return said === undefined ? usualIdle : Math.min(usualIdle, (Number(said) - 1) * 1_000)
}
