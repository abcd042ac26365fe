import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { type EndedSession, openTotals, settleCost } from '../../../src/harness/claude/cost.ts'
import type { SdkResult } from '../../../src/harness/claude/sdk-message.ts'

const some = { some: () => true, unfinished: () => false }
const none = { some: () => false, unfinished: () => false }

function ended(
  totalDollars: number | undefined,
  fields: Partial<EndedSession> & { readonly isListPrice?: boolean } = {},
): EndedSession {
  const { isListPrice = true, ...session } = fields
  const result: SdkResult = {
    isError: false,
    message: '',
    status: undefined,
    terminalReason: 'completed',
    startupFailure: undefined,
    totalDollars,
    isListPrice,
  }
  const usual = { sessionId: 'one', previousSessionId: undefined, answers: some, isWrittenDown: true }
  return { ...usual, ...session, result }
}

test('a session costs what its total is above that of the session it went on from', async () => {
  const home = join(await tempDir({ inMemory: true }), 'agents')
  expect(await settleCost(openTotals(home), ended(0.0045))).toBe(0.0045)
  // Two sessions go on from the same one, and another from the first of these, after a restart.
  const fork = { previousSessionId: 'one' }
  expect(await settleCost(openTotals(home), ended(0.009000000000000001, { ...fork, sessionId: 'two' }))).toBe(
    0.0045,
  )
  expect(await settleCost(openTotals(home), ended(0.1, { ...fork, sessionId: 'three' }))).toBe(0.0955)
  const next = { sessionId: 'four', previousSessionId: 'two' }
  expect(await settleCost(openTotals(home), ended(0.3, next))).toBe(0.291)
})

test('nothing is said where something is not known', async () => {
  const totals = openTotals(await tempDir({ inMemory: true }))
  expect(await settleCost(totals, ended(undefined))).toBeUndefined()
  expect(await settleCost(totals, ended(1, { previousSessionId: 'stranger' }))).toBeUndefined()
  expect(await settleCost(totals, ended(1, { isListPrice: false }))).toBeUndefined()
  const cut = { some: () => true, unfinished: () => true }
  expect(await settleCost(totals, ended(1, { answers: cut }))).toBeUndefined()
  expect(await totals.of('one'), 'what the next one goes on counting from').toBe(1)
})

test('zeros after answers, and totals that went down, are no totals', async () => {
  const totals = openTotals(await tempDir({ inMemory: true }))
  expect(await settleCost(totals, ended(0))).toBeUndefined()
  expect(await totals.of('one')).toBeUndefined()
  expect(await settleCost(totals, ended(0, { answers: none }))).toBe(0)
  await totals.keep('one', 0.5)
  const fork = { sessionId: 'two', previousSessionId: 'one' }
  expect(await settleCost(totals, ended(0.2, fork))).toBeUndefined()
})

test('a total that the program did not write down is of no use to the session after it', async () => {
  const totals = openTotals(await tempDir({ inMemory: true }))
  expect(await settleCost(totals, ended(0.5, { isWrittenDown: false }))).toBe(0.5)
  expect(await totals.of('one')).toBeUndefined()
})

test('damage to the file loses totals and nothing else', async () => {
  const home = await tempDir({ inMemory: true })
  const totals = openTotals(home)
  await totals.keep('one', 0.5)
  const [name] = ['claude-totals.json']
  expect(JSON.parse(await readFile(join(home, name), 'utf8'))).toEqual({ one: 0.5 })
  for (const text of ['{"one":', '[]', 'null', '{"one":"much"}', '']) {
    await writeFile(join(home, name), text)
    expect(await totals.of('one')).toBeUndefined()
  }
  await totals.keep('two', 0.25)
  expect(await totals.of('two')).toBe(0.25)
})
