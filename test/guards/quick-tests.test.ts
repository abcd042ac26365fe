import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/repository.mjs'
import { longTests, quickTests } from '../../scripts/test/quick.mjs'

it('a quick run and what it leaves out are files that are there, and have none in common', () => {
  const [quick, long] = [quickTests(), longTests()]
  expect([...quick, ...long].filter(file => !existsSync(join(root, file)))).toEqual([])
  expect(quick.filter(file => long.includes(file))).toEqual([])
})

it('where changes land, nothing is left out but proofs whose turn comes after 15 minutes', () => {
  const gate = readFileSync(join(root, '.ci/run'), 'utf8')
  expect(gate).toMatch(/^WEAVE_TEST_PROGRAMS=all npm test --silent -- --whole --minutes=15 \|\| status=1$/m)
})
