import { readHeaders } from './header.ts'

export type ChunkedProgress =
  | { readonly kind: 'more'; readonly data: Buffer | undefined }
  | { readonly kind: 'done'; readonly data: Buffer | undefined; readonly rest: Buffer }
  | { readonly kind: 'fault'; readonly fault: string }

export interface ChunkedReader {
  /** The payload of this piece of the wire, if any, in one buffer that may share its memory. */
  push(bytes: Buffer): ChunkedProgress
}

type Expected = 'size' | 'data' | 'data-end' | 'trailer'

const longestSizeLine = 256
const longestTrailers = 16 * 1024

/**
 * Takes the chunks of a body apart, in whatever pieces they arrive. Extensions are passed over, trailers are checked and
 * dropped; a bare line feed, a sign, a missing line end or a size beyond all reason is a fault.
 */
export function createChunkedReader(): ChunkedReader {
  let expected: Expected = 'size'
  let left = 0
  let line = ''
  let trailerBytes = 0

  /** What a whole line leads to: a fault, the end of the body, or the next state. */
  function take(text: string): 'fault' | 'done' | 'next' {
    if (expected === 'data-end') {
      expected = 'size'
      return text === '' ? 'next' : 'fault'
    }
    if (expected === 'trailer') {
      if (text === '') return 'done'
      trailerBytes += text.length + 2
      return trailerBytes <= longestTrailers && readHeaders([text]).ok ? 'next' : 'fault'
    }
    const size = sizeLine.exec(text)?.[1]
    if (size === undefined) return 'fault'
    left = Number.parseInt(size, 16)
    expected = left === 0 ? 'trailer' : 'data'
    return 'next'
  }

  function push(bytes: Buffer): ChunkedProgress {
    const pieces: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      if (expected === 'data') {
        const piece = bytes.subarray(at, at + left)
        pieces.push(piece)
        at += piece.length
        left -= piece.length
        if (left === 0) expected = 'data-end'
        continue
      }
      const end = bytes.indexOf(0x0a, at)
      line += bytes.toString('latin1', at, end === -1 ? bytes.length : end)
      if (line.length > (expected === 'trailer' ? longestTrailers : longestSizeLine)) return malformed
      if (end === -1) break
      if (!line.endsWith('\r') || inLine.test(line.slice(0, -1))) return malformed
      const outcome = take(line.slice(0, -1))
      if (outcome === 'fault') return malformed
      line = ''
      at = end + 1
      if (outcome === 'done') return { kind: 'done', data: joined(pieces), rest: bytes.subarray(at) }
    }
    return { kind: 'more', data: joined(pieces) }
  }

  return { push }
}

/** Up to 2^52; an extension is whatever stands behind a semicolon. */
const sizeLine = /^([0-9A-Fa-f]{1,13})(?:[ \t]*;.*)?$/
const inLine = /[\0-\x08\x0a-\x1f\x7f]/
const malformed: ChunkedProgress = { kind: 'fault', fault: 'a malformed chunk' }

/** Many small chunks in one piece of the wire become one buffer: everything behind costs per buffer, not per byte. */
function joined(pieces: readonly Buffer[]): Buffer | undefined {
  return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]
}
