import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { threadTime } from '../../../../test/support/thread-time.ts'
import { fillTemplate, stripComments } from '../../src/prompt/assemble.ts'

describe('comments', () => {
  it.each<[string, string]>([
    ['', ''],
    ['no comment', 'no comment'],
    ['a<!-- x -->b', 'ab'],
    ['<!---->a', 'a'],
    ['<!--\nseveral\nlines\n-->a', 'a'],
    ['a <!-- x --> b <!-- y --> c', 'a  b  c'],
    ['a\n<!-- x -->\n\n\nb', 'a\nb'],
    ['a\r\n<!-- x -->\r\n\r\nb', 'a\r\nb'],
    ['<!-- x --> \nb', ' \nb'],
    ['<!-- x -->\n<!-- y -->\nb', 'b'],
    ['a<!-- never closed', 'a<!-- never closed'],
    ['<!-- x -->a<!-- never closed', 'a<!-- never closed'],
    ['a --> b', 'a --> b'],
    ['<!-->a', '<!-->a'],
    ['<!-- a <!-- b --> c -->', ' c -->'],
    ['<!<!-- x -->-- y -->', '<!-- y -->'],
    ['<!- x -->', '<!- x -->'],
  ])('%j becomes %j', (text, stripped) => {
    expect(stripComments(text)).toBe(stripped)
  })

  verifies(['2.1/html-comment-newlines-consumed'], 'take the newlines directly after them along', () => {
    expect(stripComments('one\n<!-- note -->\n\n\ntwo\n\nthree')).toBe('one\ntwo\n\nthree')
  })

  it('are exactly what the obvious pattern would take out', () => {
    const unit = fc.constantFrom('<', '!', '-', '>', '<!--', '-->', '\n', '\r', 'a', ' ')
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), parts => {
        const text = parts.join('')
        expect(stripComments(text)).toBe(text.replace(/<!--[\s\S]*?-->[\r\n]*/g, ''))
      }),
      { numRuns: 500 },
    )
  })
})

describe('hostile texts of a megabyte', () => {
  const megabyte = (unit: string) => unit.repeat(Math.ceil((1024 * 1024) / unit.length))

  it.each<[string, string]>([
    ['openings', megabyte('<!--')],
    ['openings of openings', megabyte('<!<!--')],
    ['closings', megabyte('-->')],
    ['empty comments', megabyte('<!---->')],
    ['dashes after an opening', `<!--${megabyte('-')}`],
    ['newlines after a comment', `<!-- -->${megabyte('\n')}`],
    ['newlines between openings', megabyte('<!--\n')],
    ['open variables', megabyte('<%')],
    ['beginnings of variables', megabyte('<%AGENT_ROOT')],
    ['variables', megabyte('<%DATA_DIR%>')],
  ])('%s take milliseconds', (_, text) => {
    const start = threadTime()
    stripComments(text)
    fillTemplate(text, '/r')
    expect(threadTime() - start).toBeLessThan(1_000)
  })
})
