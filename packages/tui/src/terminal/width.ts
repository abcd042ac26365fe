import { eastAsianWidth } from 'get-east-asian-width'

/** How much room text takes on a terminal, and cutting and wrapping by it. Text is harmless already; a tab is a space. */

const ascii = /^[\x20-\x7e]*$/
const longestGrapheme = 16
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Columns that a text takes on one line. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += widthOf(segment)
  return width
}

/** As much of a text as fits; one that was longer ends in `…`. */
export function clipped(text: string, width: number): string {
  if (width <= 0) return ''
  if (displayWidth(text) <= width) return text
  return `${fitting(text, width - 1)}…`
}

/** The longest beginning that fits. */
export function fitting(text: string, width: number): string {
  // A character that people see as one may be many; more than this are no text.
  const near = text.length > width * longestGrapheme ? text.slice(0, width * longestGrapheme) : text
  if (ascii.test(near)) return near.slice(0, width)
  let used = 0
  let end = 0
  for (const { segment, index } of graphemes.segment(near)) {
    used += widthOf(segment)
    if (used > width) return near.slice(0, index)
    end = index + segment.length
  }
  return near.slice(0, end)
}

/** Lines of at most `width` columns, broken at spaces where there are any. Never empty; stops after `most` lines. */
export function wrapped(text: string, width: number, most = Number.POSITIVE_INFINITY): readonly string[] {
  const room = Math.max(1, width)
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    for (const line of wrappedLine(paragraph.replaceAll('\t', '  '), room)) {
      if (lines.length >= most) return lines
      lines.push(line)
    }
  }
  return lines
}

function* wrappedLine(text: string, width: number): Generator<string, void> {
  let rest = text
  for (;;) {
    const head = fitting(rest, width) || firstOf(rest)
    if (head.length === rest.length) {
      yield rest
      return
    }
    const space = rest[head.length] === ' ' ? head.length : head.lastIndexOf(' ')
    const isIndent = head.slice(0, space).trim() === ''
    const end = space > 0 && !isIndent ? space : head.length
    yield rest.slice(0, end)
    rest = rest.slice(end).replace(/^ /, '')
    if (rest === '') return
  }
}

/** At least one character, also where it is wider than the room there is. */
function firstOf(text: string): string {
  for (const { segment } of graphemes.segment(text)) return segment
  return ''
}

function widthOf(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0
  if (grapheme.length === 1 && code < firstMark) return 1
  if (/^\p{M}/u.test(grapheme)) return 0
  return eastAsianWidth(code) === 2 || emoji.test(grapheme) ? 2 : 1
}

/** Below the first combining mark every character takes one column. */
const firstMark = 0x300
/** What is shown as a picture of two columns, by itself or by the variation selector after it. */
const emoji = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)/u
