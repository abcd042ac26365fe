import { eventTypes } from '@weave/protocol'
import { createId } from '../kit/index.ts'
import type { CheckedLine } from './line.ts'

/**
 * The type of an event, read off the bytes of its line. Whoever reads a million lines wants most of them only by their type,
 * so this looks at as few bytes as it can, and makes no new text for a type that is known.
 */
export function typeOf({ rest, spilled }: CheckedLine): string {
  const from = spilled ? searched(rest) : typeAt(rest)
  if (rest[from + latest.length] === quote && isAt(rest, latest, from)) return latest
  let to = from
  let sum = 0
  for (let byte = rest[to]; byte !== quote && byte !== undefined; byte = rest[++to])
    sum = (sum * 31 + byte) | 0
  const known = knownTypes.get(sum)
  if (known === undefined || to - from !== known.length || !isAt(rest, known, from))
    return rest.toString('latin1', from, to)
  latest = known
  return known
}

/** A line often has the type of the one before it. */
let latest = ''

const quote = 0x22
const comma = 0x2c
const zero = 0x30

const seqKey = '"seq":'.length
const idKey = ',"id":"'.length
const idLength = createId('evt').length
const idToType = '","timestamp":"2026-01-01T00:00:00.000Z","type":"'.length

/** Where the type begins in a line that has its keys in the usual places; elsewhere it is searched for. */
function typeAt(rest: Buffer): number {
  let at = seqKey
  while ((rest[at] ?? 0) >= zero) at++
  at += idKey
  // Nearly all ids are of one length; in no line with another is a comma behind a quote just there.
  if (rest[at + idLength] === quote && rest[at + idLength + 1] === comma) at += idLength
  else while (rest[at] !== quote && at < rest.length) at++
  const from = at + idToType
  return isAt(rest, typeKey, from - typeKey.length) ? from : searched(rest)
}

function searched(rest: Buffer): number {
  return rest.indexOf(typeKey) + typeKey.length
}

/** No text before the type can hold this: inside a JSON string the quotes would be escaped. */
const typeKey = '"type":"'

function isAt(rest: Buffer, text: string, from: number): boolean {
  for (let at = 0; at < text.length; at++) if (rest[from + at] !== text.charCodeAt(at)) return false
  return true
}

const knownTypes: ReadonlyMap<number, string> = new Map(eventTypes.map(type => [sumOf(type), type]))

function sumOf(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) | 0, 0)
}
