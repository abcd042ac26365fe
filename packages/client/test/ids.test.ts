import { expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { createIds } from '../src/pending-commands.ts'

verifies(['2.13/client-command-id'], 'no two commands have one id, also of different clients', () => {
  const ids = Array.from({ length: 50 }, () => createIds(Math.random)).flatMap(next =>
    Array.from({ length: 200 }, next),
  )
  expect(new Set(ids).size).toBe(10_000)
})
