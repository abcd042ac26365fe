import { createRedactor, type Secret } from '../kit/index.ts'

/** What a server says went wrong, in any of the shapes that providers use. Not yet fit for showing. */
export function complaintIn(body: unknown): string | undefined {
  const outer = Array.isArray(body) ? field(body, 0) : body
  const error = field(outer, 'error')
  return [field(error, 'message'), error, field(outer, 'message'), field(outer, 'detail')].find(isText)
}

const shown = 200
/** No shorter piece of a key is worth anything to anyone. */
const pieceLength = 8

/**
 * A complaint as it may be shown: one line, not long, without the key. A server may send back what it was sent, whole or
 * in part; when a piece of the key is left after redaction, nothing is shown at all.
 */
export function quotable(complaint: string | undefined, key: Secret): string | undefined {
  if (complaint === undefined) return undefined
  const line = complaint
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{C}+/gu, '')
    .trim()
  const clean = createRedactor([key]).text(line)
  if (clean === '' || holdsPieceOf(key.value, clean)) return undefined
  const letters = [...clean]
  return letters.length > shown ? `${letters.slice(0, shown).join('')}…` : clean
}

function holdsPieceOf(key: string, text: string): boolean {
  const length = Math.min(pieceLength, key.length)
  for (let start = 0; start + length <= key.length; start++) {
    if (text.includes(key.slice(start, start + length))) return true
  }
  return false
}

function field(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === String(name))?.[1]
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
