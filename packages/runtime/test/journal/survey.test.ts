import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { copyPrefix, createHistory, surveyJournal } from '../../src/journal/index.ts'
import { loadIndex } from '../../src/journal/segments.ts'
import { openTestJournal } from './open.ts'

/** Of several segments; every tenth event is marked, and every seventh is too large for its line. */
async function filled(): Promise<string> {
  const dir = await tempDir()
  const journal = await openTestJournal(dir, { segmentBytes: 5_000 })
  for (let n = 1; n <= 200; n++) {
    if (n % 10 === 0) journal.append('preflight.result', { ok: true, problems: [] })
    else journal.append('info', { message: n % 7 === 0 ? `${n} ${'x'.repeat(5_000)}` : `event number ${n}` })
    if (n % 8 === 0) journal.flush()
  }
  await journal.close()
  return dir
}

const segmentsOf = (dir: string) =>
  readdirSync(dir)
    .filter(name => name.endsWith('.jsonl'))
    .sort()
const bytesOf = (dir: string) => Buffer.concat(segmentsOf(dir).map(name => readFileSync(join(dir, name))))

function endOfLine(bytes: Buffer, lines: number): number {
  let end = 0
  for (let line = 0; line < lines; line++) end = bytes.indexOf(10, end) + 1
  return end
}

describe('one reading of a journal', () => {
  verifies(
    ['fork/prefix'],
    'tells where it can be cut, over segments, with the blobs up to there',
    async () => {
      const dir = await filled()
      expect(segmentsOf(dir).length).toBeGreaterThan(3)
      const survey = await surveyJournal(createHistory({ dir, readOnly: true }))
      expect(survey.lastSeq).toBe(200)
      expect(survey.marked.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => at * 10 + 10))
      const whole = bytesOf(dir)
      for (const { seq } of survey.marked) {
        const cut = survey.cutAfter(seq)
        if (!cut) throw new Error(`no cut after ${seq}`)
        const to = join(await tempDir(), 'journal')
        const { events, sha256 } = await copyPrefix(dir, to, cut)
        const last = join(to, segmentsOf(to).at(-1) ?? '')
        expect(cut.index, 'what a reading of the copy says').toEqual(await loadIndex(last, { keeps: false }))
        const wanted = whole.subarray(0, endOfLine(whole, seq))
        expect(events).toBe(seq)
        expect(bytesOf(to).equals(wanted)).toBe(true)
        expect(sha256).toBe(createHash('sha256').update(wanted).digest('hex'))
        const history = createHistory({ dir: to })
        expect(await history.lastSeq()).toBe(seq)
        let large = 0
        for await (const page of history.pages())
          for (const stored of page.events) if ((await history.text(stored)).length > 5_000) large++
        const sevenths = Array.from({ length: seq }, (_, at) => at + 1).filter(
          n => n % 7 === 0 && n % 10 !== 0,
        )
        expect(large).toBe(sevenths.length)
        const blobs = existsSync(join(to, 'blobs'))
          ? readdirSync(join(to, 'blobs'), { recursive: true, withFileTypes: true }).filter(each =>
              each.isFile(),
            )
          : []
        expect(blobs).toHaveLength(large)
      }
    },
  )

  test('passes over a damaged line, and knows no cut where nothing is marked', async () => {
    const dir = await filled()
    const [first = ''] = segmentsOf(dir)
    const bytes = readFileSync(join(dir, first))
    const at = endOfLine(bytes, 9) + 40
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(join(dir, first), bytes)
    const survey = await surveyJournal(createHistory({ dir, readOnly: true }))
    expect(survey.marked.map(({ seq }) => seq).slice(0, 2)).toEqual([20, 30])
    expect([survey.cutAfter(10), survey.cutAfter(11)]).toEqual([undefined, undefined])
    expect(survey.cutAfter(20)).toMatchObject({ seq: 20, index: undefined })
  })

  test('says of a type that has many events that it has many, also before there were', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir)
    for (let n = 1; n <= 200; n++) journal.append('info', { message: `event number ${n}` })
    journal.append('preflight.result', { ok: true, problems: [] })
    for (let n = 1; n <= 100; n++) journal.append('preflight.result', { ok: true, problems: [] })
    await journal.close()
    const survey = await surveyJournal(createHistory({ dir, readOnly: true }))
    const { index } = survey.cutAfter(202) ?? {}
    expect(index).toMatchObject({ counts: { all: 202, plans: 2 }, lastSeq: 202 })
    expect(index?.types).toEqual({ info: 'many', 'preflight.result': 'many' })
    expect(index?.entries.map(([seq]) => seq)).toEqual([1, 65, 129, 193])
  })

  test('of an empty journal tells nothing', async () => {
    const survey = await surveyJournal(createHistory({ dir: await tempDir() }))
    expect([survey.lastSeq, survey.marked, survey.cutAfter(1)]).toEqual([0, [], undefined])
  })
})
