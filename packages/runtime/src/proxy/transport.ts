import type { Readable } from 'node:stream'
import type { Header } from './wire/header.ts'
import type { ResponseHead } from './wire/response-head.ts'

/** A request as it goes out. */
export interface OutgoingRequest {
  readonly method: string
  readonly target: string
  /** Without those of one hop, without `Host` and `Content-Length`. */
  readonly headers: readonly Header[]
  /** Absent: none. A stream: larger than is held in memory, of `streamLength` bytes if that is known. */
  readonly body?: Buffer | Readable | undefined
  readonly streamLength?: number | undefined
}

/** Who waits for the answer. `head` comes first, then `data`, then `end`; or at any time `fail`, and nothing after. */
export interface Receiver {
  /** An interim answer (1xx). */
  interim(head: ResponseHead): void
  head(head: ResponseHead): void
  /** Never empty. */
  data(bytes: Buffer): void
  end(): void
  fail(error: Error): void
}

/** An answer under way. */
export interface Sending {
  /** Nothing more is told until `resume`, but for what is under way already. */
  pause(): void
  resume(): void
  /** Nobody waits any more: nothing is told from now on, and the other side is cut off. */
  abort(): void
}

/** The way to whoever answers: the upstream, or something in its place. `send` never throws and tells nothing before it returns. */
export interface Transport {
  send(request: OutgoingRequest, receiver: Receiver): Sending
  /** Ends everything that is open. */
  close(): void
}
