import { type Header, valuesOf } from './header.ts'

/** Where a body ends. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' }

export type ReadFraming =
  | { readonly ok: true; readonly framing: Framing | undefined }
  | { readonly ok: false; readonly fault: string }

const noWord: ReadFraming = { ok: true, framing: undefined }
const chunked: ReadFraming = { ok: true, framing: { kind: 'chunked' } }

/**
 * What the headers say of the end of the body; undefined when they say nothing. Whatever two programs could read in two
 * ways is a fault: both kinds of length at once, one of them twice, a number that is not only digits, any other coding.
 */
export function readFraming(headers: readonly Header[], minor: number): ReadFraming {
  const lengths = valuesOf(headers, 'content-length')
  const codings = valuesOf(headers, 'transfer-encoding')
  if (lengths.length + codings.length === 0) return noWord
  if (lengths.length + codings.length > 1) return { ok: false, fault: 'more than one length of the body' }
  const [coding] = codings
  if (coding !== undefined) {
    if (minor === 0) return { ok: false, fault: 'a transfer coding in HTTP/1.0' }
    return coding.toLowerCase() === 'chunked' ? chunked : { ok: false, fault: 'an unknown transfer coding' }
  }
  const [length = ''] = lengths
  if (!/^\d{1,15}$/.test(length)) return { ok: false, fault: 'a length that is no number' }
  return { ok: true, framing: { kind: 'length', length: Number(length) } }
}
