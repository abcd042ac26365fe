import type { TokenCounts } from '@weave/protocol'
import type { RemoteSpan } from './ids.ts'

export type AttributeValue = string | number | boolean
export type Attributes = Readonly<Record<string, AttributeValue>>

/** What a span tells of; metrics are made from it, too. */
export type SpanSubject = 'run' | 'attempt' | 'rig' | 'chat' | 'tool' | 'sentinel' | 'rollback'

export interface SpanEvent {
  readonly name: string
  /** Milliseconds since 1970, as all times here. */
  readonly time: number
  readonly attributes: Attributes
}

export interface SpanLink extends RemoteSpan {
  readonly attributes: Attributes
}

export interface SpanFailure {
  readonly type: string
  readonly message: string
}

/** A span that is over, in our own words; `readable.ts` makes of it what an exporter takes. */
export interface EndedSpan {
  readonly subject: SpanSubject
  readonly name: string
  readonly kind: 'internal' | 'client'
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string | undefined
  readonly start: number
  readonly end: number
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanLink[]
  readonly failure?: SpanFailure | undefined
  readonly runId: string
  /** The event with which it was over. */
  readonly seq: number
  /** No other span was over with the same event after this one. */
  readonly isLastOfEvent: boolean
  /** Of a call to a model. */
  readonly usage?: TokenCounts | undefined
  /** Of an attempt: where the prompts are found that it was given. */
  readonly asked?: { readonly codonId: string; readonly began: string } | undefined
}

/** In bytes. */
const longestText = 4 << 10
const longestContent = 64 << 10
const longestMessage = 256

/** Attributes without those that have no value; texts that are too long are cut. */
export function attributesOf(given: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  const attributes: Record<string, AttributeValue> = {}
  for (const name in given) {
    const value = given[name]
    if (value !== undefined) attributes[name] = typeof value === 'string' ? cutTo(value, longestText) : value
  }
  return attributes
}

/** What people and models wrote, as attributes; when one had to be cut, that is said. */
export function contentAttributes(given: Readonly<Record<string, string | undefined>>): Attributes {
  const attributes: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const cut = cutTo(value, longestContent)
    attributes[name] = cut
    if (cut !== value) attributes['weave.truncated'] = true
  }
  return attributes
}

export function failureOf(type: string, message: string): SpanFailure {
  return {
    type,
    message: message.length > longestMessage ? whole(message.slice(0, longestMessage)) : message,
  }
}

function cutTo(text: string, bytes: number): string {
  // A character takes at most three bytes for each of its units: short texts need no count.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  // Half a character at the end becomes the sign for one that cannot be read.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}

function whole(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '')
}
