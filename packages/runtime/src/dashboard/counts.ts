import type { StoredEvent } from '../journal/index.ts'

/** Most transitions of a long run only count something. They are told by their bytes, so that they need not be parsed. */

const headBytes = 256

function marksOf(...types: readonly string[]): readonly Buffer[] {
  return types.map(type => Buffer.from(`"data":{"transitionType":"${type}"`))
}

const counts = marksOf('CostsUpdated', 'CostsIncremented', 'AssistantMessageCountUpdated')

export function isCount({ rest }: StoredEvent): boolean {
  const head = rest.subarray(0, headBytes)
  return counts.some(mark => head.includes(mark))
}

const replaced = marksOf('CostsUpdated', 'AssistantMessageCountUpdated')
const codonMark = Buffer.from('"codonId":"')
/** Fields that a later transition without them does not take back. */
const lasting = ['"costUnknown"', '"extensionCount"'].map(text => Buffer.from(text))

/**
 * Of transitions with the same key only the last counts, as long as no other transition comes between: each says a sum, and
 * not what is added to it. Undefined: this one counts by itself.
 */
export function countKey({ rest, spilled }: StoredEvent): string | undefined {
  const head = rest.subarray(0, headBytes)
  const kind = replaced.findIndex(mark => head.includes(mark))
  if (kind === -1 || spilled || lasting.some(text => rest.includes(text))) return undefined
  const from = rest.indexOf(codonMark) + codonMark.length
  return `${kind} ${rest.toString('latin1', from, rest.indexOf(quote, from))}`
}

const quote = 0x22
