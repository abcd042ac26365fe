import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, lineDiff } from '../src/line-diff.ts'

const shown = (lines: readonly DiffLine[]): readonly string[] =>
  lines.map(line => {
    if (line.kind === 'skipped') return `@${line.count}`
    return `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`
  })

test('says which lines went and which came', () => {
  expect(shown(lineDiff('a\nb\nc\n', 'a\nx\nc\n'))).toEqual([' a', '-b', '+x', ' c'])
  expect(shown(lineDiff('', 'a\nb'))).toEqual(['+a', '+b'])
  expect(shown(lineDiff('a\nb', ''))).toEqual(['-a', '-b'])
  expect(lineDiff('a\nb', 'a\nb\n')).toEqual([{ kind: 'skipped', count: 2 }])
})

test('leaves out what is alike and far from any change', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`)
  const lines = shown(lineDiff(before.join('\n'), before.with(10, 'changed').join('\n')))
  expect(lines[0]).toBe('@7')
  expect(lines.at(-1)).toBe('@6')
  expect(lines).toHaveLength(10)
})

const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 }).map(lines => lines.join('\n'))

/** The lines of one side, without those that are left out. */
const side = (lines: readonly DiffLine[], kind: 'added' | 'removed'): readonly string[] =>
  lines.flatMap(line => (line.kind === 'same' || line.kind === kind ? [line.text] : []))

/** The longest common subsequence, the slow way. */
function common(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0)
  for (const line of a) {
    const next = [0]
    b.forEach((other, at) => {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0))
    })
    row = next
  }
  return row.at(-1) ?? 0
}

test('both texts can be read off a comparison, and none is shorter', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      // With a change everywhere nothing is left out: each line gets a partner of its own in between.
      const lines = lineDiff(before, after)
      if (lines.some(line => line.kind === 'skipped')) return
      const a = before === '' ? [] : before.split('\n')
      const b = after === '' ? [] : after.split('\n')
      expect(side(lines, 'removed')).toEqual(a)
      expect(side(lines, 'added')).toEqual(b)
      const changes = lines.filter(line => line.kind !== 'same').length
      expect(changes).toBe(a.length + b.length - 2 * common(a, b))
    }),
    { numRuns: 500 },
  )
})

test('texts that are too far apart are shown one after the other, quickly', () => {
  const before = Array.from({ length: 3_000 }, (_, at) => `old ${at}`).join('\n')
  const after = Array.from({ length: 3_000 }, (_, at) => `new ${at}`).join('\n')
  const lines = lineDiff(before, after)
  expect(lines).toHaveLength(6_000)
  expect(lines[0]).toEqual({ kind: 'removed', text: 'old 0' })
  expect(lines.at(-1)).toEqual({ kind: 'added', text: 'new 2999' })
})
