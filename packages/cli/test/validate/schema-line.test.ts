import { expect, test } from 'vitest'
import { movedPlace } from '../../src/validate/schema-line.ts'

test('a place that stands behind what was put in moves with it, on its line or to another', () => {
  const lines = { before: '{\n  "hank": []\n}\n', after: '{\n  "$schema": "x",\n  "hank": []\n}\n' }
  expect(movedPlace({ line: 2, column: 3 }, lines)).toEqual({ line: 3, column: 3 })
  expect(movedPlace({ line: 1, column: 1 }, lines)).toEqual({ line: 1, column: 1 })
  const one = { before: '{"hank": []}', after: '{"$schema": "x", "hank": []}' }
  expect(movedPlace({ line: 1, column: 2 }, one)).toEqual({ line: 1, column: 18 })
  expect(movedPlace({ line: 1, column: 1 }, one)).toEqual({ line: 1, column: 1 })
})
