/** Far more than any file for people needs. */
const mostValues = 1_000_000
const longestBlank = 100_000

/**
 * One pass before anything parses: parsers work by recursion, and millions of tiny values or blanks cost them too much.
 * What is not JSON is cut into tokens like `jsonc-parser` does it, which ends a string at the end of its line and takes a
 * closing bracket for an end only where it fits the last open one.
 *
 * `excess`: why a parser would need seconds and gigabytes for it; `keys`: how many are written in it, if it is JSON.
 */
export function scanJson(text: string, maxDepth: number) {
  const open: number[] = []
  let tooDeepAt: number | undefined
  let keys = 0
  let marks = 0
  let words = 0
  let blanks = 0
  let before = space
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    blanks = isBlank(code) ? blanks + 1 : 0
    if (blanks > longestBlank) {
      return { excess: `the file has more than ${longestBlank} blanks in a row`, tooDeepAt, keys }
    }
    if (code === quote) at = endOfString(text, at)
    else if (code === slash) at = endOfComment(text, at)
    else if (isMark(code)) marks++
    else if (!isBlank(code) && (isBlank(before) || isMark(before))) words++
    if (marks > mostValues || words > mostValues) {
      return { excess: `the file has more than ${mostValues} values`, tooDeepAt, keys }
    }
    if (code === colon) keys++
    if (code === openBrace || code === openBracket) open.push(code + toClosing)
    else if (code === open.at(-1)) open.pop()
    if (open.length > maxDepth) {
      tooDeepAt ??= at
      open.pop()
    }
    before = code
  }
  return { excess: undefined, tooDeepAt, keys }
}

const [space, quote, comma, slash, colon, backslash] = [0x20, 0x22, 0x2c, 0x2f, 0x3a, 0x5c]
const [openBracket, openBrace] = [0x5b, 0x7b]
const toClosing = 2
const [lineFeed, carriageReturn] = [0x0a, 0x0d]

function isBlank(code: number): boolean {
  return code === space || (code >= 0x09 && code <= 0x0d)
}

function isMark(code: number): boolean {
  return code === openBracket || code === openBrace || code === colon || code === comma
}

/** Where the string, or its line, ends. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
    else if (code === lineFeed || code === carriageReturn) return at - 1
  }
  return text.length
}

function endOfComment(text: string, start: number): number {
  const opening = text.slice(start, start + 2)
  if (opening !== '//' && opening !== '/*') return start
  const ending = opening === '//' ? /[\r\n]/g : /\*\//g
  ending.lastIndex = start + 2
  const end = ending.exec(text)
  return end === null ? text.length : end.index + end[0].length - 1
}
