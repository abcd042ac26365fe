import { describe, expect, test } from 'vitest'
import { deferred, deferredIds } from './deferred.ts'
import { requirements } from './requirements.ts'
import { citedIds, idsIn } from './source-citations.ts'

const root = new URL('../..', import.meta.url).pathname
const cited = citedIds(root)
const known = new Set<string>(requirements.map(requirement => requirement.id))

describe('the contract is covered', () => {
  test('every requirement is cited by a test or deferred with a reason', () => {
    const open = requirements.filter(({ id }) => !cited.has(id) && !deferredIds.has(id))
    expect(open.map(({ id, sentence }) => `${id}: ${sentence}`)).toEqual([])
  })

  test('nothing is both verified and deferred', () => {
    expect([...deferredIds].filter(id => cited.has(id))).toEqual([])
  })

  test('every cited or deferred id exists', () => {
    expect([...cited.keys(), ...deferredIds].filter(id => !known.has(id))).toEqual([])
  })

  test('every deferral has a reason and none is listed twice', () => {
    const all = deferred.flatMap(({ ids }) => ids)
    expect(deferred.filter(({ reason }) => reason.trim().length < 10)).toEqual([])
    expect(all.length).toBe(new Set(all).size)
  })

  test('ids are unique, belong to a part and say something', () => {
    expect(known.size).toBe(requirements.length)
    expect(requirements.filter(({ part, sentence }) => part === '' || sentence.length < 15)).toEqual([])
  })

  test('the contract has at least 450 entries', () => {
    expect(requirements.length).toBeGreaterThanOrEqual(450)
  })
})

test('citations are found over several lines and several ids', () => {
  const call = 'verifies'
  const source = `${call}(['2.1/a', '2.1/b'], 'x', () => {})\n ${call}(\n  [\n    'd5/c',\n  ],\n 'y', f)`
  expect(idsIn(source)).toEqual(['2.1/a', '2.1/b', 'd5/c'])
})
