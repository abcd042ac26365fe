import { describe, expect, it } from 'vitest'
import { findViolations } from '../../scripts/layers.mjs'
import { readRepository, readRules } from '../../scripts/repository.mjs'
import { layerFixtures } from './layer-fixtures.ts'
import { filesOf, shown } from './repo-fixture.ts'

const rules = readRules()

it('the repository keeps its own rules', () => {
  expect(shown(findViolations(readRepository(), rules))).toEqual([])
})

describe('a break of each rule is caught', () => {
  it.each(layerFixtures)('$rule', ({ files, caught }) => {
    expect(shown(findViolations(filesOf(files), rules))).toEqual([expect.stringMatching(caught)])
  })
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
