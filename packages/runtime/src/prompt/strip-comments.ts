import { afterNewlines } from './newlines.ts'

const opening = '<!--'
const closing = '-->'

/**
 * The text without its HTML comments and the newlines directly after each. A comment that is never closed stays, and so
 * does what only becomes one when another is taken out. One pass, linear in the text.
 */
export function stripComments(text: string): string {
  const kept: string[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf(opening, at)
    const end = start === -1 ? -1 : text.indexOf(closing, start + opening.length)
    if (end === -1) return kept.length === 0 ? text : kept.join('') + text.slice(at)
    kept.push(text.slice(at, start))
    at = afterNewlines(text, end + closing.length)
  }
}
