import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pageMark, reportPage } from '../../src/report/html-report.ts'

const parts = { script: 'start()', style: 'p{color:red}' }

/** What a browser takes for the text of the element with this id: everything up to the first end of a script. */
function embeddedIn(page: string, id: string): string {
  const after = page.split(`<script type="application/json" id="${id}">`)[1] ?? ''
  return after.slice(0, after.indexOf('</script'))
}

describe('the page of a report', () => {
  test('holds whatever text it is given as data, and as nothing else', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('</script>', '<!--', '<script>', '\u2028', ']]>', '&lt;', '</SCRIPT '),
    )
    fc.assert(
      fc.property(fc.array(nasty), nasty, (texts, title) => {
        const page = reportPage({ title, data: { texts }, events: { texts } }, parts)
        const json = embeddedIn(page, 'report-data')
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ texts })))
        expect(json).not.toMatch(/[<>&\u2028\u2029]/)
        expect(page.match(/<script/gi)).toHaveLength(3)
        expect(page.match(/<\/script/gi)).toHaveLength(3)
        expect(/<title>([\s\S]*)<\/title>/.exec(page)?.[1]).not.toMatch(/[<>]/)
      }),
    )
  })

  test('allows its own script and style by their hashes, and nothing from anywhere', () => {
    const page = reportPage({ title: 't', data: {}, events: {} }, parts)
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.split('; ') ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`script-src 'sha256-${hash(parts.script)}'`)
    expect(policy).toContain(`style-src 'sha256-${hash(parts.style)}'`)
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
    expect(page.startsWith(pageMark)).toBe(true)
    expect(page.indexOf('<style>')).toBeGreaterThan(page.indexOf('Content-Security-Policy'))
  })
})
