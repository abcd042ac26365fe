export type Rewrite = (text: string) => string

/**
 * A text in pieces, rewritten as a whole and cut up again: as many pieces as before, and those before the first and after
 * the last replaced character as they were. What was replaced in between stands in the piece where it begins.
 */
export function rewrittenPieces(pieces: readonly string[], rewrite: Rewrite): string[] {
  const before = pieces.join('')
  const after = rewrite(before)
  if (after === before) return [...pieces]
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const end = before.length - tail
  const replacement = after.slice(head, after.length - tail)
  let offset = 0
  let isPlaced = false
  return pieces.map(piece => {
    const from = offset
    offset += piece.length
    const kept = piece.slice(0, Math.max(0, head - from))
    const rest = piece.slice(Math.min(piece.length, Math.max(0, end - from)))
    const isHere = !isPlaced && (head < offset || offset === before.length)
    if (isHere) isPlaced = true
    return head >= offset && !isHere ? piece : `${kept}${isHere ? replacement : ''}${rest}`
  })
}
