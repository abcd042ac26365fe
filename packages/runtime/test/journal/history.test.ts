import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createHistory, type History, type Page } from '../../src/journal/index.ts'
import { eventList } from '../../src/server/history.ts'
import { openTestJournal } from './open.ts'

async function filled(events: number, segmentBytes = 20_000): Promise<string> {
  const dir = await tempDir()
  const journal = await openTestJournal(dir, { segmentBytes })
  for (let n = 1; n <= events; n++) {
    journal.append('info', { message: `event number ${n}` })
    if (n % 16 === 0) journal.flush()
  }
  await journal.close()
  return dir
}

const seqs = (page: Page | undefined) => page?.events.map(event => event.seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

async function collect(history: History, query: Parameters<History['pages']>[0]) {
  const pages: Page[] = []
  for await (const page of history.pages(query)) pages.push(page)
  return pages
}

describe('paging', () => {
  verifies(['d6/index'], 'finds any stretch of a journal of many segments', async () => {
    const history = createHistory({ dir: await filled(2_000) })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 1, max: 700 }),
        async (after, count) => {
          const upTo = Math.min(2_000, after + count)
          const pages = await collect(history, { after, upTo, maxEvents: 100 })
          expect(pages.flatMap(page => seqs(page) ?? [])).toEqual(range(after + 1, upTo))
          expect(pages.every(page => page.events.length <= 100 && page.problems.length === 0)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('an empty or missing journal has no pages', async () => {
    const dir = await tempDir()
    expect(await collect(createHistory({ dir }), {})).toEqual([])
    expect(await collect(createHistory({ dir: join(dir, 'nothing') }), {})).toEqual([])
    expect(await createHistory({ dir }).lastSeq()).toBe(0)
  })

  test('pages are bounded in bytes, large fields counted', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir)
    for (let n = 0; n < 40; n++) journal.append('info', { message: `${n}${'x'.repeat(50_000)}` })
    await journal.close()
    const history = createHistory({ dir })
    const pages = await collect(history, { maxBytes: 200_000 })
    expect(pages.length).toBeGreaterThanOrEqual(10)
    const text = await history.text(pages[0]?.events[0] ?? missing())
    expect(JSON.parse(text).data.message.length).toBe(50_001)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(pages[0]?.events[0]?.bytes ?? 0)
  })

  test('the origin of an event is written down and read back, and does not travel', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir)
    const texts: string[] = []
    journal.subscribe(({ text }) => void texts.push(text))
    const long = 'x'.repeat(50_000)
    const before = journal.append('info', { message: 'the codon' }).seq
    for (const message of ['short', long]) journal.append('info', { message }, { origin: 'sentinel' })
    expect([journal.lastSeqWithoutOrigin, journal.lastSeq]).toEqual([before, before + 2])
    await journal.close()
    const history = createHistory({ dir })
    const [page] = await collect(history, {})
    const stored = page?.events ?? []
    const read = await Promise.all(stored.map(one => history.event(one)))
    expect(read.map(event => event?.origin)).toEqual([undefined, 'sentinel', 'sentinel'])
    const wire = await Promise.all(stored.map(one => history.text(one)))
    expect(wire).toEqual(texts)
    expect(wire.map(text => Object.keys(JSON.parse(text)))).toEqual(
      Array(3).fill(['seq', 'id', 'timestamp', 'type', 'data']),
    )
    expect(wire.map(text => JSON.parse(text).data.message)).toEqual(['the codon', 'short', long])
    expect((await eventList(history, stored)).toString()).not.toContain('origin')
  })

  test('a live journal shows what is written and not yet synced, while it goes on', async () => {
    const journal = await openTestJournal(await tempDir(), { segmentBytes: 5_000 })
    const seen: number[] = []
    for (let n = 0; n < 300; n++) journal.append('info', { message: 'early' })
    journal.flush()
    for await (const page of journal.history.pages({ maxEvents: 50 })) {
      seen.push(...(seqs(page) ?? []))
      journal.append('info', { message: 'while reading' })
      journal.flush()
    }
    expect(seen).toEqual(range(1, 300))
    expect((await collect(journal.history, { after: 304 })).flatMap(page => seqs(page) ?? [])).toEqual([
      305, 306,
    ])
    await journal.close()
  })
})

describe('the index', () => {
  const pageAt = async (dir: string) =>
    seqs((await collect(createHistory({ dir }), { after: 1_500, upTo: 1_503 }))[0])

  test('is built again when it is missing, torn, of another file or wrong', async () => {
    const dir = await filled(2_000)
    const names = readdirSync(dir).filter(name => name.endsWith('.idx'))
    expect(names.length).toBeGreaterThan(3)
    const spoil: readonly ((path: string, text: string) => void)[] = [
      path => rmSync(path),
      (path, text) => writeFileSync(path, text.slice(0, text.length / 2)),
      path => writeFileSync(path, '{"bytes":1,"lastSeq":2,"entries":[]}'),
      path => writeFileSync(path, 'null'),
      (path, text) =>
        writeFileSync(
          path,
          text.replace(/\[(\d+),(\d+)\]/g, (_, seq, at) => `[${seq},${Number(at) + 7}]`),
        ),
    ]
    for (const damage of spoil) {
      for (const name of names) damage(join(dir, name), readIfThere(join(dir, name)))
      expect(await pageAt(dir)).toEqual([1_501, 1_502, 1_503])
    }
  })

  verifies(['d6/index-paging'], 'a page near the end does not read what is before it', async () => {
    const dir = await filled(5_000)
    const segments = readdirSync(dir)
      .filter(name => name.endsWith('.jsonl'))
      .sort()
    for (const name of segments.slice(0, -2)) writeFileSync(join(dir, name), '')
    const history = createHistory({ dir })
    expect(seqs((await collect(history, { after: 4_990 }))[0])).toEqual(range(4_991, 5_000))
  })

  test('of a journal that somebody else writes grows with it, over segments, and begins anew with another file', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir, { segmentBytes: 20_000 })
    const history = createHistory({ dir, readOnly: true })
    for (let upTo = 90; upTo <= 900; upTo += 90) {
      for (let n = 0; n < 90; n++) journal.append('info', { message: `event ${upTo} ${n}` })
      journal.flush()
      expect(await history.lastSeq()).toBe(upTo)
      const pages = await collect(history, { after: upTo - 100, maxEvents: 1_000 })
      expect(pages.flatMap(page => seqs(page) ?? [])).toEqual(range(Math.max(1, upTo - 99), upTo))
    }
    await journal.close()
    const newest = join(
      dir,
      readdirSync(dir)
        .filter(name => name.endsWith('.jsonl'))
        .sort()
        .at(-1) ?? '',
    )
    const lines = readFileSync(newest, 'utf8').split('\n')
    // The middle is cut out and the end is longer than before: nothing of what was known fits.
    writeFileSync(newest, [...lines.slice(0, 3), ...lines.slice(7), 'x'.repeat(9_000), ''].join('\n'))
    const [first = 0] = lines.slice(0, 1).map(() => Number(/events-(\d+)/.exec(newest)?.[1]))
    const pages = await collect(history, { after: first - 1, maxEvents: 1_000 })
    expect(pages.flatMap(page => seqs(page) ?? [])).toEqual([
      ...range(first, first + 2),
      ...range(first + 7, 900),
    ])
  })
})

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '{"bytes":0,"lastSeq":0,"entries":[]}'
  }
}

function missing(): never {
  throw new Error('no event on the page')
}
