import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorCode } from '../../src/kit/index.ts'

it('finds the code of a system error', () => {
  let thrown: unknown
  try {
    readFileSync('/no/such/file')
  } catch (error) {
    thrown = error
  }
  expect(errorCode(thrown)).toBe('ENOENT')
})

it.each([
  undefined,
  null,
  'ENOENT',
  new Error('plain'),
  { code: 'ENOENT' },
  Object.assign(new Error('odd'), { code: 7 }),
])('finds none in %s', thrown => {
  expect(errorCode(thrown)).toBeUndefined()
})
