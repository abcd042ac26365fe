import type { Place } from '../kit/index.ts'

const longest = 100

/**
 * The line at a place with a caret under the column:
 *
 *     12 |   "name": "draft",,
 *        |                   ^
 *
 * A long line is cut around the column. Control characters become spaces, so that the caret stays where it belongs.
 */
export function excerptAt(text: string, place: Place | undefined): string | undefined {
  if (!place) return undefined
  const line = text.split(/\r\n|\r|\n/, place.line)[place.line - 1]
  if (line === undefined || line.trim() === '') return undefined
  const start = Math.max(0, Math.min(place.column - longest / 2, line.length - longest))
  const shown = line.slice(start, start + longest).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  const before = start > 0 ? '…' : ''
  const after = start + longest < line.length ? '…' : ''
  const number = String(place.line)
  const caret = ' '.repeat(before.length + place.column - 1 - start)
  return `${number} | ${before}${shown}${after}\n${' '.repeat(number.length)} | ${caret}^`
}
