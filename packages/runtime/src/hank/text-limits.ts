/** Far more than any hank needs: ten thousand codons of twenty fields have half as many. */
const mostValues = 1_000_000
const longestBlank = 100_000

/**
 * Refuses a JSON text that would cost a parser seconds and gigabytes although it is not large: millions of tiny values, or
 * a desert of white space. One pass over the bytes; says nothing about whether it is JSON.
 */
export function tooManyParts(bytes: Uint8Array): string | undefined {
  let inString = false
  let marks = 0
  let words = 0
  let blanks = 0
  let before = space
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
      continue
    }
    blanks = isBlank(byte) ? blanks + 1 : 0
    if (blanks > longestBlank) return `the file has more than ${longestBlank} blanks in a row`
    if (byte === quote) inString = true
    else if (isMark(byte)) marks++
    else if (!isBlank(byte) && (isBlank(before) || isMark(before))) words++
    if (marks > mostValues || words > mostValues) return `the file has more than ${mostValues} values`
    before = byte
  }
  return undefined
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c

function isBlank(byte: number): boolean {
  return byte === space || (byte >= 0x09 && byte <= 0x0d)
}

/** What stands before a value: `[`, `{`, `:` or `,`. */
function isMark(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b || byte === 0x3a || byte === 0x2c
}
