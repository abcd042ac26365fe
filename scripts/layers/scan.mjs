/**
 * Splits TypeScript text into code, comments and literals, without a parser: enough to find imports and type
 * positions reliably, and fast enough to run as a test.
 *
 * - `code` is the text without comments.
 * - `bare` is the text without comments and without what stands inside strings, templates and regular expressions.
 *
 * Both keep every offset and line break of the original.
 *
 * @typedef {{ code: string, bare: string, comments: { offset: number, text: string }[] }} Scanned
 */

const lineComment = /\/\/[^\n]*/y
const blockComment = /\/\*[\s\S]*?(?:\*\/|$)/y
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y
const regex = /\/(?![*/>])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y
const regexMayFollow =
  /(?:^|[([{,;=:!&|?+\-*%<>~^]|(?:^|[^\w$.])(?:return|typeof|case|in|of|await|void|throw))$/

/** @param {string} text @returns {Scanned} */
export function scan(text) {
  const spans = spansOf(text)
  const comments = spans.filter(span => span.kind === 'comment')
  return {
    code: blank(text, comments),
    bare: blank(text, spans),
    comments: comments.map(({ start, end }) => ({ offset: start, text: text.slice(start, end) })),
  }
}

/** @param {string} text @param {number} offset */
export function lineAt(text, offset) {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/**
 * What to blank out: a comment, or the inside of a literal. `next` is where the code goes on.
 *
 * @typedef {{ kind: 'comment' | 'literal', start: number, end: number, next: number }} Span
 */

/** @param {string} text @returns {Span[]} */
function spansOf(text) {
  /** @type {Span[]} */
  const spans = []
  /**
   * For each open `${`: how many braces are open inside it.
   *
   * @type {number[]}
   */
  const holes = []
  let significant = 0
  let at = 0
  while (at < text.length) {
    const character = text[at]
    const start = at + 1
    const span = spanAt(text, at, significant)
    if (span) {
      spans.push(span)
      at = span.next
      if (span.kind === 'literal') significant = at
    } else if (character === '`' || (character === '}' && holes.at(-1) === 0)) {
      if (character === '}') holes.pop()
      const end = match(templateText, text, start)
      const opensHole = text[end] === '$'
      if (opensHole) holes.push(0)
      at = opensHole ? end + 2 : end + 1
      spans.push({ kind: 'literal', start, end, next: at })
      significant = at
    } else {
      if (holes.length > 0) holes.push((holes.pop() ?? 0) + depthChange(character))
      at++
      if (character?.trim()) significant = at
    }
  }
  return spans
}

/**
 * The comment or literal that starts at `at`. `significant` is the end of the code before it, which tells a regular
 * expression from a division.
 *
 * @param {string} text @param {number} at @param {number} significant @returns {Span | undefined}
 */
function spanAt(text, at, significant) {
  const character = text[at]
  if (character === "'" || character === '"') {
    const next = match(quoted, text, at)
    const closed = next - 1 > at && text[next - 1] === character
    return { kind: 'literal', start: at + 1, end: closed ? next - 1 : next, next }
  }
  if (character !== '/') return undefined
  const comment = Math.max(match(lineComment, text, at), match(blockComment, text, at))
  if (comment > at) return { kind: 'comment', start: at, end: comment, next: comment }
  const closesTag = text[at - 1] === '<'
  if (closesTag || !regexMayFollow.test(text.slice(Math.max(0, significant - 12), significant)))
    return undefined
  const end = match(regex, text, at)
  return end > at ? { kind: 'literal', start: at + 1, end, next: end } : undefined
}

/**
 * The end of `pattern` at `at`, or `at` where it does not match.
 *
 * @param {RegExp} pattern
 * @param {string} text
 * @param {number} at
 */
function match(pattern, text, at) {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** @param {string | undefined} character */
function depthChange(character) {
  if (character === '{') return 1
  return character === '}' ? -1 : 0
}

/** @param {string} text @param {readonly Span[]} spans */
function blank(text, spans) {
  let result = ''
  let at = 0
  for (const { start, end } of spans) {
    result += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    at = end
  }
  return result + text.slice(at)
}
