import { describe, expect, it } from 'vitest'
import type { Ring, StreamEntry, StreamKind } from 'weave-client'
import { isShown, matches, nextFilter, noFilter, type StreamFilter } from '../../src/model/stream-filter.ts'
import { createStreamRows, type StreamRowsOptions } from '../../src/model/stream-rows.ts'
import { createTheme } from '../../src/terminal/theme.ts'
import { displayWidth } from '../../src/terminal/width.ts'

const { signs } = createTheme({ color: false, unicode: true })

/** What the clock of the person shows is 10:20:30, wherever they are. */
const localTime = new Date(2026, 0, 1, 10, 20, 30).toISOString()

function entry(id: number, kind: StreamKind, text: string, more: Partial<StreamEntry> = {}): StreamEntry {
  return { id: `e${id}`, kind, text, time: localTime, cut: false, ...more }
}

const ringOf = (...entries: readonly StreamEntry[]): Ring<StreamEntry> => ({
  chunks: [entries],
  size: entries.length,
  dropped: 0,
})

function shown(entries: readonly StreamEntry[], options: Partial<StreamRowsOptions> = {}) {
  const rows = createStreamRows()({
    stream: ringOf(...entries),
    width: 60,
    costs: false,
    root: '/e/agentRoot',
    signs,
    filter: noFilter,
    isUnfolded: () => false,
    ...options,
  })
  const texts = Array.from(
    { length: rows.length },
    (_, index) =>
      rows
        .at(index)
        ?.line.map(({ text }) => text)
        .join('') ?? '',
  )
  return { rows, texts }
}

describe('the stream as rows', () => {
  it('wraps what is said, and folds what tools answer until it is unfolded', () => {
    const result = entry(2, 'result', 'one\ntwo\nthree\nfour', { source: 'Bash' })
    const entries = [
      entry(1, 'message', 'A sentence that is long enough to need two lines of this panel.'),
      result,
    ]
    expect(shown(entries).texts).toEqual([
      ' 10:20:30   A sentence that is long enough to need two lines',
      '            of this panel.',
      ' 10:20:30   one … 4 lines',
    ])
    expect(shown(entries, { isUnfolded: each => each === result }).texts).toHaveLength(6)
  })

  it('says of a tool what it is asked for, and everything when it is unfolded', () => {
    const tool = entry(1, 'tool', JSON.stringify({ description: 'List', command: 'ls -la' }), {
      source: 'Bash',
    })
    expect(shown([tool]).texts).toEqual([' 10:20:30 ▸ Bash ls -la'])
    expect(shown([tool], { isUnfolded: () => true }).texts.join('\n')).toContain('description: List\n')
  })

  it('names files from where the agent works, in what tools are asked and answer', () => {
    const tool = entry(1, 'tool', JSON.stringify({ file_path: '/e/agentRoot/src/a.ts' }), { source: 'Read' })
    const said = entry(2, 'message', 'I read /e/agentRoot/src/a.ts.')
    expect(shown([tool, said]).texts).toEqual([
      ' 10:20:30 ▸ Read src/a.ts',
      ' 10:20:30   I read /e/agentRoot/src/a.ts.',
    ])
    expect(shown([tool], { isUnfolded: () => true }).texts).toEqual([' 10:20:30 ▸ Read file_path: src/a.ts'])
  })

  it.each([
    ['Edit', { file_path: '/e/agentRoot/a.ts', old_string: 'one\ntwo', new_string: 'one\nthree' }],
    ['edit', { path: '/e/agentRoot/a.ts', edits: [{ oldText: 'one\ntwo', newText: 'one\nthree' }] }],
  ])('shows what %s changes as a comparison when it is unfolded', (source, input) => {
    const { rows, texts } = shown([entry(1, 'tool', JSON.stringify(input), { source })], {
      isUnfolded: () => true,
    })
    expect(texts).toEqual([
      ` 10:20:30 ▸ ${source} a.ts`,
      '              one',
      '            - two',
      '            + three',
    ])
    expect([2, 3].map(index => rows.at(index)?.line.at(-1)?.style)).toEqual(['removed', 'added'])
  })

  it('finds what is shown or unfolds, and not what is nowhere to be seen', () => {
    const input = { file_path: '/e/agentRoot/f.ts', content: 'the notes' }
    const entries = [
      entry(1, 'tool', JSON.stringify(input), { source: 'Write' }),
      entry(2, 'result', 'updated /e/agentRoot/f.ts', { source: 'Write' }),
    ]
    const found = (search: string) => shown(entries, { filter: { ...noFilter, search } }).rows
    expect(found('agentroot').matches).toEqual([])
    expect(found('f.ts').matches).toEqual([0, 1])
    expect(found('notes').matches).toEqual([0])
    expect(entries.map(found('notes').hidesMatch)).toEqual([true, true])
    expect(found('f.ts').hidesMatch(entries[0] ?? entry(3, 'info', ''))).toBe(false)
  })

  it('shows what something cost only when costs are asked for', () => {
    const done = entry(1, 'codon', 'codon a completed in 1 s, $0.50', {
      withoutCosts: 'codon a completed in 1 s',
    })
    expect(shown([done]).texts).toEqual([' 10:20:30 ─ codon a completed in 1 s'])
    expect(shown([done], { costs: true }).texts).toEqual([' 10:20:30 ─ codon a completed in 1 s, $0.50'])
  })

  it('no row is wider than the panel', () => {
    const kinds: readonly StreamKind[] = [
      'message',
      'tool',
      'result',
      'sentinel',
      'rig',
      'error',
      'thinking',
      'info',
    ]
    const entries = kinds.map((kind, id) =>
      entry(id, kind, '日本語 word '.repeat(40), { source: 'narrator' }),
    )
    for (const width of [24, 40, 61, 200]) {
      for (const text of shown(entries, { width }).texts)
        expect(displayWidth(text)).toBeLessThanOrEqual(width)
    }
  })

  it('finds a row by its number and an entry by its id', () => {
    const entries = Array.from({ length: 500 }, (_, id) => entry(id, 'message', 'x '.repeat(id % 7)))
    const { rows } = shown(entries)
    for (let index = 0; index < rows.length; index++) {
      const row = rows.at(index)
      expect(row && rows.indexOf(row.key) + row.part).toBe(index)
    }
    expect(rows.at(rows.length)).toBeUndefined()
    expect(rows.at(-1)).toBeUndefined()
    expect(rows.indexOf('none')).toBe(-1)
  })

  it('marks what is searched for, whatever its case, unless the search has capitals', () => {
    const { rows } = shown([entry(1, 'message', 'Needle and needle')], {
      filter: { ...noFilter, search: 'needle' },
    })
    const marked = rows
      .at(0)
      ?.line.filter(({ style }) => style === 'match')
      .map(({ text }) => text)
    expect(marked).toEqual(['Needle', 'needle'])
  })
})

describe('filters', () => {
  const failed = entry(1, 'codon', 'codon a failed', { failed: true, codonId: 'a#2' })
  const said = entry(2, 'sentinel', 'a remark', { source: 'narrator' })

  it('go round', () => {
    expect(['all', 'agent', 'tools', 'problems', 'sentinels'].map(name => nextFilter(name as 'all'))).toEqual(
      ['agent', 'tools', 'problems', 'sentinels', 'all'],
    )
  })

  const isIn = (entry: StreamEntry, filter: StreamFilter): boolean =>
    isShown(entry, filter, ({ text }) => matches(text, filter.search))

  it('keep failures among the problems, iterations with their codon, a sentinel with what is said of it', () => {
    expect(isIn(failed, { ...noFilter, name: 'problems' })).toBe(true)
    expect(isIn(said, { ...noFilter, name: 'problems' })).toBe(false)
    expect(isIn(failed, { ...noFilter, only: { title: 'a', codonIds: ['a'] } })).toBe(true)
    expect(isIn(failed, { ...noFilter, only: { title: 'a', codonIds: ['a#1'] } })).toBe(false)
    expect(isIn(said, { ...noFilter, sentinelId: 'narrator' })).toBe(true)
    expect(isIn(said, { ...noFilter, sentinelId: 'other' })).toBe(false)
    expect(isIn(said, { ...noFilter, search: 'nothing', onlyMatches: true })).toBe(false)
    expect(isIn(said, { ...noFilter, search: 'remark', onlyMatches: true })).toBe(true)
  })
})
