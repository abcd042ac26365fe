/** Far more than any file for people needs. */
const mostValues = 1_000_000
const longestBlank = 100_000

/**
 * Refuses a JSON text that would cost a parser seconds and gigabytes although it is not large: millions of tiny values, or
 * a desert of white space. One pass; says nothing about whether it is JSON.
 */
export function tooManyParts(text: string): string | undefined {
  if (text.length <= longestBlank) return undefined
  let marks = 0
  let words = 0
  let blanks = 0
  let before = space
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    blanks = isBlank(code) ? blanks + 1 : 0
    if (blanks > longestBlank) return `the file has more than ${longestBlank} blanks in a row`
    if (code === quote) at = endOfString(text, at)
    else if (isMark(code)) marks++
    else if (!isBlank(code) && (isBlank(before) || isMark(before))) words++
    if (marks > mostValues || words > mostValues) return `the file has more than ${mostValues} values`
    before = code
  }
  return undefined
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c

function isBlank(code: number): boolean {
  return code === space || (code >= 0x09 && code <= 0x0d)
}

/** What stands before a value: `[`, `{`, `:` or `,`. */
function isMark(code: number): boolean {
  return code === 0x5b || code === 0x7b || code === 0x3a || code === 0x2c
}

/** The place of the quote that ends a string, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}
