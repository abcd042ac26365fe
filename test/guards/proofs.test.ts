import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { judge, type Sample } from '../../scripts/proof/soak-judge.ts'
import { suites } from '../../scripts/proof/suites.ts'
import { root } from '../../scripts/repository.mjs'

it('every file of a proof suite is there: vitest says nothing of one that is not', () => {
  const files = [...suites.faults, ...suites.load, ...suites.fleet].flatMap(suite => suite.files)
  expect(files.filter(file => !existsSync(join(root, file)))).toEqual([])
})

/** Looks every ten seconds for an hour. */
function hour(at: (minute: number) => Partial<Sample>): readonly Sample[] {
  return Array.from({ length: 360 }, (_, turn) => ({
    seconds: turn * 10,
    rss: 100 * 1024,
    hub: 80 * 1024,
    heap: 40 * 1024,
    files: 40,
    processes: 2,
    ...at(turn / 6),
  }))
}

describe('a soak', () => {
  it('passes a server that stays as it is, however it warmed up', () => {
    const steady = judge(hour(minute => ({ rss: (minute < 10 ? 50 : 100) * 1024, files: 40 + (minute % 3) })))
    expect(steady.ok).toBe(true)
    expect(steady.words[0]).toMatch(/1\.000 .* \+0\.0 MB an hour/)
  })

  it.each([
    ['memory', (minute: number) => ({ rss: (100 + minute) * 1024 }), /\+60\.0 MB an hour/],
    [
      'the heap',
      (minute: number) => ({ heap: (40 + minute) * 1024 }),
      /heap after a collection.*\+60\.0 MB an hour/,
    ],
    ['the hub', (minute: number) => ({ hub: (80 + minute) * 1024 }), /memory of the hub.*\+60\.0 MB an hour/],
    ['open files', (minute: number) => ({ files: 40 + minute }), /open files: \+24/],
    ['processes', (minute: number) => ({ processes: 2 + minute }), /processes: \+24/],
  ])('finds %s that grow', (_what, at, words) => {
    const leaking = judge(hour(at))
    expect(leaking.ok).toBe(false)
    expect(leaking.words.join('\n')).toMatch(words)
  })

  it('does not pass a server that was never looked at', () => {
    expect(judge([]).ok).toBe(false)
  })
})
