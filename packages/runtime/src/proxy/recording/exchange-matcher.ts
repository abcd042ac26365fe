import { sha256Of } from './body-store.ts'
import { firstDifference } from './first-difference.ts'
import type { NormalisedRequest } from './normalised-request.ts'
import type { Recording } from './read-recording.ts'
import type { RecordedExchange } from './recording-files.ts'

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
