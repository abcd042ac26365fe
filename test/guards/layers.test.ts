import { describe, expect, it } from 'vitest'
import { findViolations } from '../../scripts/layers.mjs'
import { readRepository, readRules } from '../../scripts/repository.mjs'
import { layerFixtures } from './layer-fixtures.ts'
import { filesOf, shown } from './repo-fixture.ts'

const rules = readRules()

it('the repository keeps its own rules', () => {
  expect(shown(findViolations(readRepository(), rules))).toEqual([])
}, 120_000)

describe('a break of each rule is caught', () => {
  it.each(layerFixtures)('$rule', ({ files, caught }) => {
    expect(shown(findViolations(filesOf(files), rules))).toEqual([expect.stringMatching(caught)])
  })
})

it('lets the table grow neither files outside of rooms nor rooms that see everything', () => {
  const everything = { imports: ['everything'] }
  const rooms = { ...rules.rooms, 'app.ts': everything, a: everything, b: everything }
  expect(shown(findViolations([], { ...rules, rooms }))).toEqual([
    'layers.json:1 has the row app.ts, a file outside of every room; give it a room.',
    expect.stringMatching(/^layers\.json:1 lets .*app\.ts, a, b import everything; at most 3 may/),
  ])
})

it('says what a room may import and what to do instead', () => {
  const files = {
    'packages/runtime/src/checkpoint/index.ts': 'export const sha = 1',
    'packages/runtime/src/journal/index.ts': '',
    'packages/runtime/src/journal/history.ts': "\n\nimport { sha } from '../checkpoint/index.ts'",
  }
  expect(shown(findViolations(filesOf(files), rules))).toEqual([
    'packages/runtime/src/journal/history.ts:3 imports checkpoint; journal may import: protocol, kit, files (hand it a function where the rooms are wired, in execution).',
  ])
})
