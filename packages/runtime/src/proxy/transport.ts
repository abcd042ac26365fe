import type { Readable } from 'node:stream'
import type { Header } from './headers.ts'
import type { BodilessRequest } from './middleware.ts'

/** A request as it goes out. */
export interface OutgoingRequest {
  readonly method: string
  readonly target: string
  /** Without hop-by-hop ones, without `Host` and `Content-Length`. */
  readonly headers: readonly Header[]
  /** Absent: none. A stream: larger than is held in memory, of `streamLength` bytes if that is known. */
  readonly body?: Buffer | Readable | undefined
  readonly streamLength?: number | undefined
}

export interface ResponseHead {
  readonly status: number
  /** The text after the status. */
  readonly reason: string
  readonly headers: readonly Header[]
}

/** Gets the answer: `head` comes first, then `data`, then `end`; or at any time `fail`, and nothing after. */
export interface ResponseHandler {
  /** An interim answer (1xx). */
  interim(head: ResponseHead): void
  head(head: ResponseHead): void
  /** Never empty. */
  data(bytes: Buffer): void
  end(): void
  fail(error: Error): void
}

/** A request under way. */
export interface RunningRequest {
  /** The handler is not called until `resume`, but for what is under way already. */
  pause(): void
  resume(): void
  /** The handler is not called any more, and the connection to the other side is closed. */
  abort(): void
}

/** Forwards to whoever answers: the upstream, or a replay. `send` never throws; before it returns, `fail` alone may be called. */
export interface Transport {
  send(request: OutgoingRequest, handler: ResponseHandler): RunningRequest
  /** Ends everything that is open. */
  close(): void
}

/** How an exchange ended: whole; the caller left; no whole answer came; the proxy itself failed. */
export type ExchangeEnding = 'complete' | 'caller-left' | 'upstream-failed' | 'proxy-failed'

/** Hears of one exchange, without a part in it. Must not throw, must not change or keep the buffers' content. */
export interface ExchangeObserver {
  /** The head of the answer, as the upstream sent it. */
  head?(head: ResponseHead): void
  /** A piece of the body, without its framing. */
  data?(bytes: Buffer): void
  /** Once and last. */
  end(ending: ExchangeEnding): void
}

/** Asked when a request goes out, made of `incoming`; who returns nothing is told nothing. */
export type Observe = (request: OutgoingRequest, incoming: BodilessRequest) => ExchangeObserver | undefined
