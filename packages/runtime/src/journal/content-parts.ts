/**
 * Cuts large texts into parts, at places that their content alone decides (content-defined chunking with a gear hash). What is changed or
 * inserted somewhere changes the parts there; all others stay what they were, and are stored once.
 */

/** Up to here a text stays whole. */
const longestWhole = 64 * 1024
const shortestPart = 16 * 1024
const longestPart = 128 * 1024
/** A cut in so many bytes beyond the shortest part: where this many high bits of the hash are zero. */
const hashBits = 15

export function contentParts(bytes: Buffer): readonly Buffer[] {
  if (bytes.length <= longestWhole) return [bytes]
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = nextCut(bytes, from)
    parts.push(bytes.subarray(from, to))
    from = to
  }
  return parts
}

/** Each byte has left the hash after 32 more, so a cut depends on the 32 bytes before it. */
function nextCut(bytes: Buffer, from: number): number {
  const last = Math.min(bytes.length, from + longestPart)
  let hash = 0
  for (let at = from + shortestPart - 32; at < last; at++) {
    hash = ((hash << 1) + (gear[bytes[at] ?? 0] ?? 0)) | 0
    if (hash >>> (32 - hashBits) === 0 && at >= from + shortestPart) return at + 1
  }
  return last
}

/** A number for each byte, without a pattern, and the same in every process (xorshift). */
const gear = Int32Array.from({ length: 256 }, numbersFrom(0x9e3779b9))

function numbersFrom(seed: number): () => number {
  let value = seed | 0
  return () => {
    value ^= value << 13
    value ^= value >>> 17
    value ^= value << 5
    return value
  }
}
