import type { Line, Span, Style } from '../terminal/line.ts'
import { span } from '../terminal/line.ts'
import { wrapped } from '../terminal/width.ts'

/**
 * The Markdown that agents write, drawn: headings and `**bold**` as bold, `code` and fenced code set apart, points as points.
 * Whatever else there is stays as it was written; nothing is lost but the marks that are drawn.
 */
export function markdownLines(text: string, width: number, point: string): readonly Line[] {
  let isCode = false
  return text.split('\n').flatMap(raw => {
    const each = raw.replaceAll('\t', '  ')
    if (/^\s*(```|~~~)/.test(each)) {
      isCode = !isCode
      return []
    }
    return laid(isCode ? [span(each, 'accent')] : drawn(each, point), width)
  })
}

function drawn(text: string, point: string): Line {
  const heading = /^#{1,6}\s+(.*)$/.exec(text)
  if (heading) return inline(heading[1] ?? '', 'bold')
  const item = /^(\s*)[-*+]\s+(.*)$/.exec(text)
  if (item) return [span(`${item[1]}${point} `), ...inline(item[2] ?? '', 'plain')]
  return inline(text, 'plain')
}

const marks = /\*\*(?=\S)(.+?)(?<=\S)\*\*|`([^`]+)`/g

function inline(text: string, style: Style): Line {
  const spans: Span[] = []
  let from = 0
  for (const found of text.matchAll(marks)) {
    const [whole, bold, code = ''] = found
    spans.push(span(text.slice(from, found.index), style))
    spans.push(bold === undefined ? span(code, 'accent') : span(bold, 'bold'))
    from = found.index + whole.length
  }
  return [...spans, span(text.slice(from), style)].filter(each => each.text !== '')
}

/** Wrapped as text is; each line has the spans that lie in it. */
function laid(spans: Line, width: number): readonly Line[] {
  const text = spans.map(each => each.text).join('')
  let from = 0
  return wrapped(text, width).map(each => {
    const start = text.indexOf(each, from)
    from = start + each.length
    return cutOut(spans, start, from)
  })
}

function cutOut(spans: Line, start: number, end: number): Line {
  let at = 0
  return spans.flatMap(each => {
    const text = each.text.slice(Math.max(0, start - at), Math.max(0, end - at))
    at += each.text.length
    return text === '' ? [] : [{ ...each, text }]
  })
}
