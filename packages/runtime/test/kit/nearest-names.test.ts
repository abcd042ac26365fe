import { describe, expect, it } from 'vitest'
import { didYouMean, nearestNames } from '../../src/kit/index.ts'

const names = ['port', 'model', 'idleTimeout', 'outputDirectory', 'overwriteOutput', 'budget']

describe('names that may have been meant', () => {
  it.each<[string, readonly string[]]>([
    ['prot', ['port']],
    ['Port', ['port']],
    ['idletimeout', ['idleTimeout']],
    ['idleTimout', ['idleTimeout']],
    ['idle', ['idleTimeout']],
    ['outputDirectoryPath', ['outputDirectory']],
    ['budgets', ['budget']],
    ['port', []],
    ['x', []],
    ['', []],
    ['telemetry', []],
  ])('of %j', (word, meant) => {
    expect(nearestNames(word, names)).toEqual(meant)
  })

  it('are not looked for when the word is no name at all', () => {
    expect(nearestNames('p'.repeat(5_000_000), names)).toEqual([])
  })

  it('are best first and few', () => {
    expect(nearestNames('aaaa', ['aabb', 'aaab', 'aaac', 'aaad', 'aaae'])).toEqual(['aaab', 'aaac', 'aaad'])
    expect(nearestNames('aaaa', ['aaab', 'aaac'], 1)).toEqual(['aaab'])
  })

  it('become a question', () => {
    expect(didYouMean([])).toBe('')
    expect(didYouMean(['port'])).toBe(' Did you mean port?')
    expect(didYouMean(['a', 'b'], name => `--${name}`)).toBe(' Did you mean --a or --b?')
  })
})
