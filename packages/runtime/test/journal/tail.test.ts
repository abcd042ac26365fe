import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTail } from '../../src/journal/index.ts'
import { openTestJournal } from './open.ts'

type Tail = ReturnType<typeof createTail>

async function readOn(tail: Tail): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const lines of tail.read()) for (const { seq } of lines) seqs.push(seq)
  return seqs
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('following a journal that is being written', () => {
  test('each event once and in order, whenever it is read, over many segments', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(lengths, async stretches => {
        const dir = await tempDir({ inMemory: true })
        const journal = await openTestJournal(dir, { segmentBytes: 8_000 })
        const tail = createTail(dir)
        let written = 0
        for (const length of stretches) {
          for (let n = 0; n < length; n++) journal.append('info', { message: `event number ${written + n}` })
          journal.flush()
          expect(await readOn(tail)).toEqual(range(written + 1, written + length))
          written += length
          expect(tail.lastSeq()).toBe(written)
        }
        await journal.close()
      }),
      { numRuns: 25 },
    )
  })

  test('a line that is half written is read when it is whole; a number that came before is not read again', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir)
    for (let n = 1; n <= 3; n++) journal.append('info', { message: `${n}` })
    await journal.close()
    const [name = ''] = readdirSync(dir).filter(each => each.endsWith('.jsonl'))
    const path = join(dir, name)
    const text = readFileSync(path, 'utf8')
    const middle = text.length - 20
    writeFileSync(path, text.slice(0, middle))
    const tail = createTail(dir)
    expect(await readOn(tail)).toEqual([1, 2])
    expect(await readOn(tail)).toEqual([])
    appendFileSync(path, text.slice(middle) + text)
    expect(await readOn(tail)).toEqual([3])
    expect(tail.lastSeq()).toBe(3)
  })

  test('nothing, where there is no journal yet', async () => {
    expect(await readOn(createTail(join(await tempDir(), 'none')))).toEqual([])
  })
})
