import type { JsonObject } from '../../kit/index.ts'
import type { StopReason, Usage } from '../answer.ts'
import type { DialectName, RequestReading } from '../model-request.ts'

/** A part of a message with everything decided: a call has the id and name that go over the wire. */
export type WirePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: unknown }

export interface WireMessage {
  readonly model: string
  readonly parts: readonly WirePart[]
  readonly usage: Usage
  readonly stop: StopReason
  /** For the fields that hold a time. */
  readonly now: Date
}

export interface WireError {
  readonly status: number
  readonly message: string
  readonly retryAfter?: number | undefined
}

/** How one provider writes. Nothing here throws, whatever the body holds. */
export interface Dialect {
  readonly name: DialectName
  read(body: JsonObject): RequestReading
  /** The answer in one piece. */
  whole(message: WireMessage): JsonObject
  /** The answer as server-sent events, one string each, ready to be sent. */
  events(message: WireMessage): readonly string[]
  error(error: WireError): JsonObject
  /** What this provider says about a request that is longer than the context; its status is 400. */
  overflow(): JsonObject
}
