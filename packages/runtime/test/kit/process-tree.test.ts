import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { treeOf } from '../../src/kit/process-clues.ts'
import type { ProcessRow } from '../../src/kit/process-table.ts'

const row = (pid: number, parent: number, group = pid, session = group): ProcessRow => ({
  pid,
  parent,
  group,
  session,
  startTime: `t${pid}`,
})
const name = (pid: number) => ({ pid, startTime: `t${pid}` })
const pidsOf = (rows: readonly ProcessRow[]) => rows.map(({ pid }) => pid)

describe('treeOf', () => {
  it('holds children, their children, and nobody else', () => {
    const rows = [row(10, 2), row(11, 10), row(12, 11), row(20, 2), row(21, 20)]
    expect(pidsOf(treeOf(rows, [name(10)]))).toEqual([10, 11, 12])
  })

  it('holds the group and the session of one that has ended', () => {
    const rows = [row(11, 1, 10, 10), row(12, 1, 12, 10), row(13, 1, 13, 13)]
    expect(pidsOf(treeOf(rows, [name(10)]))).toEqual([11, 12])
  })

  it('holds those who joined the group of a descendant', () => {
    const rows = [row(10, 2), row(11, 10, 11, 11), row(30, 1, 11, 11)]
    expect(pidsOf(treeOf(rows, [name(10)]))).toEqual([10, 11, 30])
  })

  it('leaves a stranger alone who lives under the id of one that has ended', () => {
    const rows = [row(10, 2), row(11, 10)]
    expect(treeOf(rows, [{ pid: 10, startTime: 'earlier' }, { pid: 11 }])).toEqual([])
  })

  it('never holds this process, nor goes through it', () => {
    const rows = [row(10, 2), row(process.pid, 10, 10, 10), row(12, process.pid, 12, 12)]
    expect(pidsOf(treeOf(rows, [name(10)]))).toEqual([10])
    expect(treeOf(rows, [name(process.pid)])).toEqual([])
  })

  it.each([0, 1, -1])('does not take %d for a root', pid => {
    expect(treeOf([row(10, pid, pid, pid)], [{ pid }])).toEqual([])
  })

  it('is the same set whatever the order of the rows, holds it again from itself, and grows with the roots', () => {
    const id = fc.integer({ min: 2, max: 30 }).map(pid => pid + 5_000_000)
    const rowsOf = fc.uniqueArray(
      fc.tuple(id, id, id, id).map(ids => row(...ids)),
      { selector: ({ pid }) => pid },
    )
    fc.assert(
      fc.property(rowsOf, fc.array(id), id, (rows, roots, another) => {
        const tree = treeOf(rows, roots.map(name))
        const again = treeOf(rows.toReversed(), [...roots.map(name), ...tree])
        expect(new Set(pidsOf(again))).toEqual(new Set(pidsOf(tree)))
        const larger = pidsOf(treeOf(rows, [...roots, another].map(name)))
        expect(larger).toEqual(expect.arrayContaining(pidsOf(tree)))
        const inside = new Set([...roots, ...pidsOf(tree)])
        for (const { pid, parent, group, session } of rows) {
          const belongs = [pid, parent, group, session].some(known => inside.has(known))
          expect(pidsOf(tree).includes(pid)).toBe(belongs)
        }
      }),
    )
  })
})
