import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { beginningOf, fitted, longestText } from '../../src/mcp/answers.ts'
import { createConfirmations } from '../../src/mcp/confirmations.ts'

const rows = { field: 'rows', next: (shown: readonly unknown[]) => shown.length }
const lengthOf = (value: object) => JSON.stringify(value).length

describe('answers', () => {
  verifies(['mcp/fits'], 'fit, whatever they hold, and say what was left out', () => {
    const text = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(2_000))
      .map(([word, times]) => word.repeat(times))
    const row = fc.record({ at: fc.nat(), text })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), all => {
        const shown = fitted({ rows: all }, rows)
        expect(lengthOf(shown)).toBeLessThanOrEqual(longestText)
        const list = shown['rows'] as readonly { readonly at: number }[]
        expect(list.map(({ at }) => at)).toEqual(all.slice(0, list.length).map(({ at }) => at))
        const note = { shown: list.length, total: all.length, next: list.length }
        if (list.length < all.length) expect(shown['truncated']).toEqual(note)
        if (all.length > 0) expect(list.length).toBeGreaterThan(0)
      }),
      { numRuns: 60 },
    )
  })

  it('cuts a text to the room there is for it as JSON', () => {
    for (const text of ['\n'.repeat(9_000), '\u{1f600}'.repeat(9_000), '\u001b'.repeat(9_000), 'short'])
      expect(JSON.stringify(beginningOf(text, 1_000)).length).toBeLessThanOrEqual(1_000)
  })
})

describe('a token', () => {
  const matter = { tool: 'rollback', execution: '/e', what: 'sha', at: '7' }

  it('is good once, for one matter, of one kind, for ten minutes', () => {
    let now = 0
    const tokens = createConfirmations({ monotonic: () => now })
    const fresh = () => tokens.give('preview', matter)
    const first = fresh()
    expect(tokens.take('preview', first, matter)).toBe(true)
    expect(tokens.take('preview', first, matter)).toBe(false)
    expect(tokens.take('asked', fresh(), matter)).toBe(false)
    for (const other of [{ tool: 'x' }, { execution: '/f' }, { what: 'other' }, { at: '8' }])
      expect(tokens.take('preview', fresh(), { ...matter, ...other })).toBe(false)
    const late = fresh()
    now = 600_001
    expect(tokens.take('preview', late, matter)).toBe(false)
  })
})
