import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { type ListRow, listLines, whenText } from '../src/list.ts'
import { nameMeant } from '../src/named-execution.ts'

const row: ListRow = {
  dir: '/home/user/.weave-executions/guide-to-a-folder-20261116-184944-16a18e',
  hank: 'Guide to a folder',
  data: '/home/user/some/where/that/is/far/down/in/the/tree/of/directories/data',
  status: 'completed',
  cost: 0.0486,
  codons: 1,
  lastUsed: '2026-11-16T18:49:44.000Z',
  endedAt: '2026-11-16T18:50:02.000Z',
  rehearsal: true,
}
const now = new Date('2026-11-16T19:00:02.000Z')

describe('a list of executions', () => {
  verifies(
    ['repair/list'],
    'fits 100 columns, marks rehearsals, says when they ended and counts rightly',
    () => {
      const rows = [row, { ...row, codons: 2, hank: 'A name that is much longer than any column should be' }]
      const lines = listLines(rows, { width: 100, now, home: '/home/user' })
      expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(100)
      expect(lines[0]).toMatch(/^HANK +STATUS +DONE +COST +ENDED +EXECUTION +DATA$/)
      expect(lines[1]).toMatch(
        /^Guide to a folder +completed +1 codon +sim \$0\.0486 +\d\d:\d\d \(10m\) +20261116-184944-16a18e +….*data$/,
      )
      expect(lines[2]).toContain(' 2 codons ')
      expect(lines.at(-1)).toBe('sim: a rehearsal; its cost is simulated')
      const wide = listLines([{ ...row, rehearsal: false }], { width: undefined, now, home: '/home/user' })
      expect(wide).toHaveLength(2)
      expect(wide[1]).toContain('~/some/where/that/is/far/down/in/the/tree/of/directories/data')
    },
  )

  verifies(['repair/list'], 'has the date of another day, and its age', () => {
    expect(whenText(new Date('2026-11-11T12:00:00.000Z'), now)).toBe('11 Nov (5d)')
    expect(whenText(new Date('2025-11-11T12:00:00.000Z'), now)).toBe('11 Nov 2025 (370d)')
    expect(whenText(new Date('2026-11-16T19:00:05.000Z'), now)).toMatch(/\(0s\)$/)
  })

  verifies(['repair/execution-by-word'], 'shows names that do for -e', () => {
    const names = ['guide-20261116-184944-16a18e', 'guide-20261117-184944-16a18e', 'own']
    expect(nameMeant('20261116-184944-16a18e', names)).toEqual({ ok: true, name: names[0] })
    expect(nameMeant('20261117', names)).toEqual({ ok: true, name: names[1] })
    expect(nameMeant('2026', names)).toMatchObject({ ok: false })
    expect(nameMeant('', names)).toMatchObject({ ok: false })
  })
})
