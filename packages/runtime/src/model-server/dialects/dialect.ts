import type { JsonObject } from '../../kit/index.ts'
import type { StopReason, Usage } from '../answer.ts'
import type { DialectName, RequestReading, Turn } from '../model-request.ts'

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

/** One server-sent event. */
export function sseEvent(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

const fewestCharacters = 24
const mostPieces = 16

/** A text in pieces, as a model would send it: at least one, and not many however long it is. */
export function pieces(text: string): readonly string[] {
  const size = Math.max(fewestCharacters, Math.ceil(text.length / mostPieces))
  const found: string[] = []
  let start = 0
  while (start < text.length) {
    const end = wholeCharacter(text, start + size)
    found.push(text.slice(start, end))
    start = end
  }
  return found.length > 0 ? found : ['']
}

/** The same place, or the next when it would cut a character of two units in half. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}

/** A turn of the parts that are there. */
export function turn(role: Turn['role'], parts: Partial<Pick<Turn, 'texts' | 'calls' | 'results'>>): Turn {
  const { texts = [], calls = [], results = [] } = parts
  return { role, text: texts.join('\n\n'), texts, calls, results }
}

/** Some dialects give every call and every result a message of its own; here, each side speaks in turn. */
export function alternating(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = []
  for (const next of turns) {
    const last = merged.at(-1)
    if (last?.role === next.role) merged[merged.length - 1] = joined(last, next)
    else merged.push(next)
  }
  return merged
}

function joined(left: Turn, right: Turn): Turn {
  return turn(left.role, {
    texts: [...left.texts, ...right.texts],
    calls: [...left.calls, ...right.calls],
    results: [...left.results, ...right.results],
  })
}
