import { join } from 'node:path'
import { expect, it } from 'vitest'
import { suites } from '../../scripts/proof/suites.ts'
import { root } from '../../scripts/repository.mjs'
import { proofsLast, sampledProofs } from '../support/sampled-proofs.ts'

const [proof = '', other = ''] = ['test/e2e/kill.test.ts', 'test/e2e/run.test.ts'].map(file =>
  join(root, file),
)

it('without a limit nothing is left out', () => {
  expect(sampledProofs({ minutes: undefined, lot: undefined, say: () => undefined })).toBeUndefined()
})

it('within the time everything is run; afterwards proofs are left out, and nothing else', () => {
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const outcome = (minutes: string) =>
    [proof, other].map(
      id => sampledProofs({ minutes, lot: 'a', say })?.plugins[0]?.transform('', id) ?? 'run',
    )
  expect(outcome('1')).toEqual(['run', 'run'])
  expect(said).toEqual([])
  expect(outcome('-1')).toEqual([expect.stringContaining('test.skip('), 'run'])
  expect(said).toEqual(['left to the proofs, the time is over: test/e2e/kill.test.ts'])
})

it('proofs come last, in an order of their own for each lot', () => {
  const paths = Object.values(suites)
    .flat()
    .flatMap(({ files }) => files)
    .map(file => join(root, file))
  const files = [...new Set(paths), other].map(moduleId => ({ moduleId }))
  const order = (lot: string) => proofsLast(files, lot).map(({ moduleId }) => moduleId)
  const [one, another] = [order('one'), order('another')]
  expect(one[0]).toBe(other)
  expect(order('one')).toEqual(one)
  expect(another).not.toEqual(one)
  expect(another.toSorted()).toEqual(one.toSorted())
})
