import { formatPath, type JsonPath } from '../../kit/index.ts'
import type { NormalisedRequest } from './normalised-request.ts'
import type { Recording } from './read-recording.ts'
import { type RecordedExchange, sha256Of } from './recording-files.ts'

export type Match =
  | { readonly ok: true; readonly exchange: RecordedExchange }
  /** Says what does not fit, for people. */
  | { readonly ok: false; readonly explain: () => Promise<string> }

export interface ExchangeMatcher {
  /** The recorded exchange that answers this request; it answers no other. `request` undefined: too large to be looked at. */
  take(codonId: string | undefined, request: NormalisedRequest | undefined): Match
  /** What nobody has asked for. */
  left(): readonly RecordedExchange[]
}

/**
 * The requests of a codon come in their recorded order. Only those that were under way at the same time may change places:
 * their order was chance then, too.
 */
export function createExchangeMatcher(recording: Recording): ExchangeMatcher {
  const left = new Set(recording.exchanges)
  const asked = new Map<string | undefined, number>()
  return {
    take(codonId, request) {
      const turn = (asked.get(codonId) ?? 0) + 1
      asked.set(codonId, turn)
      const waiting = [...left].filter(exchange => exchange.codonId === codonId)
      const next = startable(waiting)
      const sha256 = request && sha256Of(Buffer.from(JSON.stringify(request)))
      const found = next.find(exchange => exchange.request !== undefined && exchange.request === sha256)
      const refusal = { recording, codonId, turn, request, next }
      if (!found) return { ok: false, explain: () => explained(refusal) }
      left.delete(found)
      if (found.unkept === undefined) return { ok: true, exchange: found }
      const reason = `the answer is not in the recording: ${found.unkept}`
      return { ok: false, explain: async () => `${whose(codonId, found.turn)}: ${reason}.` }
    },
    left: () => [...left],
  }
}

/** Those that no other one had ended before. */
function startable(waiting: readonly RecordedExchange[]): readonly RecordedExchange[] {
  let firstEnd = Number.POSITIVE_INFINITY
  return waiting.filter(({ began, ended }) => {
    const isNext = began < firstEnd
    firstEnd = Math.min(firstEnd, ended)
    return isNext
  })
}

interface Refusal {
  readonly recording: Recording
  readonly codonId: string | undefined
  readonly turn: number
  readonly request: NormalisedRequest | undefined
  /** Those that could have answered. */
  readonly next: readonly RecordedExchange[]
}

async function explained({ recording, codonId, turn, request, next }: Refusal): Promise<string> {
  if (!request) return `${whose(codonId, turn)}: the request is too large to be compared.`
  const expected =
    next.find(({ method, path }) => method === request.method && path === request.path) ?? next[0]
  if (!expected) return `${whose(codonId, turn)}: ${missing(recording, codonId)}.`
  const place = whose(codonId, expected.turn)
  const kept = expected.request === undefined ? undefined : await recording.bodies.get(expected.request)
  if (!kept) return `${place}: the recorded request is too large to be compared.`
  const difference = firstDifference(JSON.parse(kept.toString('utf8')), request)
  if (!difference) return `${place}: the request differs from the recorded one in the order of its fields.`
  const { field, recorded, present } = difference
  return `${place}: the request is not the recorded one. ${field}: recorded ${recorded}, now ${present}`
}

function missing({ directory, exchanges, isWhole }: Recording, codonId: string | undefined): string {
  const count = exchanges.filter(exchange => exchange.codonId === codonId).length
  const had = count === 0 ? 'no request' : `only ${count} ${count === 1 ? 'request' : 'requests'}`
  const cut = isWhole ? '' : ', and its end is missing'
  return `the recording in ${directory} has ${had} of it${cut}`
}

function whose(codonId: string | undefined, turn: number): string {
  return `${codonId === undefined ? 'No codon' : `Codon ${codonId}`}, turn ${turn}`
}

interface Difference {
  /** The way to it, as people write it. */
  readonly field: string
  /** Excerpts. */
  readonly recorded: string
  readonly present: string
}

/** The first place, in the order of the recorded value, where two JSON values are not equal. */
function firstDifference(recorded: unknown, present: unknown, path: JsonPath = []): Difference | undefined {
  if (recorded === present) return undefined
  if (typeof recorded === 'string' && typeof present === 'string')
    return { field: formatPath(path), ...textExcerpts(recorded, present) }
  if (!isParent(recorded) || !isParent(present) || Array.isArray(recorded) !== Array.isArray(present))
    return { field: formatPath(path), recorded: excerpt(recorded), present: excerpt(present) }
  for (const key of keysOf(recorded, present)) {
    const step = Array.isArray(recorded) ? Number(key) : key
    const found = firstDifference(own(recorded, key), own(present, key), [...path, step])
    if (found) return found
  }
  return undefined
}

type Parent = Readonly<Record<string, unknown>>

function isParent(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null
}

function keysOf(recorded: Parent, present: Parent): readonly string[] {
  return [...new Set([...Object.keys(recorded), ...Object.keys(present)])]
}

function own(value: Parent, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

const before = 24
const longest = 72

/** Both begin a little before the first character that differs. */
function textExcerpts(recorded: string, present: string): Pick<Difference, 'recorded' | 'present'> {
  let same = 0
  while (same < recorded.length && recorded[same] === present[same]) same++
  const from = Math.max(0, same - before)
  const show = (text: string): string => {
    const piece = text.slice(from, from + longest)
    const quoted = JSON.stringify(piece)
    return `${from > 0 ? '…' : ''}${quoted}${from + longest < text.length ? '…' : ''}`
  }
  return { recorded: show(recorded), present: show(present) }
}

function excerpt(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
