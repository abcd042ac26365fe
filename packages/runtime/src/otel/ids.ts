import { hash } from 'node:crypto'

/**
 * Ids of traces and spans. Nothing is random: the same execution has the same ids however often it is exported, live or
 * afterwards, so a span that is sent twice is one span.
 */
const family = 'weave/otel/1'

/** What tells a span from all others of its execution; numbers as decimal text. */
export type SpanKey = readonly (string | number)[]

/** 32 hexadecimal digits. */
export function traceIdOf(executionId: string): string {
  return digest(16, [family, 'trace', executionId])
}

/** 16 hexadecimal digits. */
export function spanIdOf(executionId: string, key: SpanKey): string {
  return digest(8, [family, 'span', executionId, ...key])
}

export function runKey(runId: string): SpanKey {
  return ['run', runId]
}

/** `index`: among the attempts of the run, in the order of their start. */
export function attemptKey(runId: string, index: number): SpanKey {
  return ['codon', runId, index]
}

/** An id of zeros only means "none" to others: it is hashed once more, with one more part. */
function digest(bytes: number, parts: SpanKey): string {
  const hex = hash('sha256', parts.join('\0'), 'hex').slice(0, bytes * 2)
  return hex === zeros.slice(0, bytes * 2) ? digest(bytes, [...parts, '']) : hex
}

const zeros = '0'.repeat(32)

export interface RemoteSpan {
  readonly traceId: string
  readonly spanId: string
}

/** What a program says to those that it starts, so that their spans become children of this one. */
export function traceparentOf({ traceId, spanId }: RemoteSpan, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** Whether a trace is among the part that is kept; by its id, so that every program decides the same. */
export function isSampled(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true
  const words = traceId.match(/.{8}/g) ?? []
  const folded = words.reduce((sum, word) => (sum ^ Number.parseInt(word, 16)) >>> 0, 0)
  return folded < Math.floor(ratio * 0xff_ff_ff_ff)
}

/** The span that a `TRACEPARENT` names; undefined for anything that is none. */
export function readTraceparent(text: string | undefined): RemoteSpan | undefined {
  const [, version, traceId = '', spanId = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/.exec(text?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined
  return { traceId, spanId }
}
