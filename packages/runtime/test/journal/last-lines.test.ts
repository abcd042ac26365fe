import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type Journal, readLastLines, saidUpTo } from '../../src/journal/index.ts'
import { openTestJournal } from './open.ts'

const told = {
  warning: (journal: Journal) => journal.append('error', { message: 'Take care.', fatal: false }),
  words: (journal: Journal, length = 10) => journal.append('info', { message: 'x'.repeat(length) }),
  question: (journal: Journal) => journal.append('gate.waiting', { gateId: 'ask', round: 1 }),
}

const asked = expect.stringContaining('"gateId":"ask"') as unknown
/** What no journal here says: whoever answers this did not look. */
const untrue = { warnings: 77, codons: 88 }

async function written(
  ...parts: readonly ((journal: Journal) => { readonly id: string; readonly seq: number })[]
) {
  const dir = join(await tempDir(), 'journal')
  const add = async (...more: typeof parts) => {
    const journal = await openTestJournal(dir)
    const [last] = more.map(part => part(journal)).slice(-1)
    await journal.close()
    if (!last) throw new Error('nothing was written')
    return { lastSeq: last.seq, lastId: last.id }
  }
  return { dir, last: await add(...parts), add }
}

describe('the last lines of a journal', () => {
  test('tell the last event, the warnings and what is asked', async () => {
    const { warning, question, words } = told
    const { dir, last } = await written(warning, words, warning, question, words)
    expect(readLastLines(dir)).toMatchObject({ ...last, warnings: 2, question: asked })
    expect(saidUpTo(dir, last.lastSeq)).toEqual({ warnings: 2, question: asked, codons: 0 })
    expect(saidUpTo(dir, last.lastSeq + 1)).toBeUndefined()
    expect(readLastLines(join(dir, 'nothing'))).toBeUndefined()
  })

  test('are not looked through when it is known what they say, and only then', async () => {
    const { dir, last, add } = await written(told.warning, told.words)
    expect(readLastLines(dir, { end: { ...last, said: untrue } })).toMatchObject({ ...last, ...untrue })
    expect(readLastLines(dir, { end: last })).toMatchObject({ ...last, warnings: 1 })
    const other = { ...last, lastId: 'evt_of_another_journal', said: untrue }
    expect(readLastLines(dir, { end: other })).toMatchObject({ ...last, warnings: 1 })
    const next = await add(told.warning)
    expect(readLastLines(dir, { end: { ...last, said: untrue } })).toMatchObject({ ...next, warnings: 2 })
  })

  test('are read when the last of them is a long one', async () => {
    const { dir, last } = await written(told.warning, journal => told.words(journal, 4_000))
    expect(readLastLines(dir, { end: { ...last, said: untrue } })).toMatchObject({ ...last, warnings: 1 })
  })
})
