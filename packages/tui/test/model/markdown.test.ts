import { describe, expect, it } from 'vitest'
import { markdownLines } from '../../src/model/markdown.ts'
import type { Line } from '../../src/terminal/line.ts'

/** Styles in brackets, so that a row can be read. */
const told = (line: Line): string =>
  line.map(({ text, style = 'plain' }) => (style === 'plain' ? text : `[${style} ${text}]`)).join('')

const drawn = (text: string, width = 60): readonly string[] => markdownLines(text, width, '·').map(told)

describe('the Markdown of agents', () => {
  it.each([
    ['plain text', ['plain text']],
    ['# A heading', ['[bold A heading]']],
    ['I wrote **two** files, `a.md` too.', ['I wrote [bold two] files, [accent a.md] too.']],
    ['- one\n  * two', ['· one', '  · two']],
    ['```ts\nconst **a** = 1\n```\nafter', ['[accent const **a** = 1]', 'after']],
    ['2 ** 3 ** 4 and a*b*c', ['2 ** 3 ** 4 and a*b*c']],
    ['#hashtag, 1. one', ['#hashtag, 1. one']],
    ['', ['']],
  ])('%j', (text, lines) => {
    expect(drawn(text)).toEqual(lines)
  })

  it('keeps its marks when a line is wrapped in the middle of one', () => {
    expect(drawn('one **two three** four', 8)).toEqual(['one [bold two]', '[bold three]', 'four'])
  })
})
