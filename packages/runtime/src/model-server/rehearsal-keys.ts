/**
 * Placeholder keys say whose request it is: `rehearsal-<runtimeId>` a codon's, `rehearsal-sentinel-<id>` a sentinel's,
 * `rehearsal` alone nobody's, such as a self-test's.
 *
 * Ids are arbitrary text. What cannot stand in a header is written with percent signs, as in an address; so is the first
 * letter of a codon's id that would read like a sentinel's.
 */
export const nobodysKey = 'rehearsal'

const codonPrefix = 'rehearsal-'
const sentinelWord = 'sentinel-'

export function codonKey(runtimeId: string): string {
  const id = encode(runtimeId)
  return codonPrefix + (id.startsWith(sentinelWord) ? `%73${id.slice(1)}` : id)
}

export function sentinelKey(id: string): string {
  return codonPrefix + sentinelWord + encode(id)
}

export type KeyOwner =
  | { readonly kind: 'codon' | 'sentinel'; readonly id: string }
  | { readonly kind: 'nobody' | 'stranger' }

export function ownerOf(key: string): KeyOwner {
  if (key === nobodysKey) return { kind: 'nobody' }
  if (!key.startsWith(codonPrefix)) return { kind: 'stranger' }
  const id = key.slice(codonPrefix.length)
  if (id.startsWith(sentinelWord)) return { kind: 'sentinel', id: decode(id.slice(sentinelWord.length)) }
  return { kind: 'codon', id: decode(id) }
}

// Every visible ASCII character but the percent sign.
const unfit = /[^!-$&-~]/gu

function encode(id: string): string {
  return id.replace(unfit, character => {
    const isHalf = character.length === 1 && /[\ud800-\udfff]/.test(character)
    if (isHalf) return `%u${character.charCodeAt(0).toString(16)}`
    return [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  })
}

/** Half a pair of surrogates has no bytes of its own, so it stands as its number. */
const escapes = /%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)/gi

function decode(text: string): string {
  return text.replace(escapes, (_all, half: string | undefined, bytes: string | undefined) =>
    half === undefined
      ? Buffer.from((bytes ?? '').replaceAll('%', ''), 'hex').toString('utf8')
      : String.fromCharCode(Number.parseInt(half, 16)),
  )
}
