import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Entry } from '../../src/journal/notify.ts'
import { openTestJournal, readAll } from './open.ts'

const told = (entries: Entry[]) => entries.map(entry => entry.event.seq)
const nextTick = () => new Promise(resolve => setImmediate(resolve))

describe('appending', () => {
  verifies(['d5/seq', 'd6/segments'], 'numbers events from 1 without gaps, over restarts too', async () => {
    const dir = await tempDir()
    for (let start = 0; start < 3; start++) {
      const journal = await openTestJournal(dir)
      for (let n = 0; n < 5; n++) journal.append('info', { message: `event ${n}` })
      await journal.close()
    }
    const { events } = await readAll(dir)
    expect(events.map(event => event.seq)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
    expect(new Set(events.map(event => event.id)).size).toBe(15)
  })

  verifies(
    ['d6/grouped-appends'],
    'puts the events of one tick into one write and tells them after it',
    async () => {
      const dir = await tempDir()
      const journal = await openTestJournal(dir)
      const file = join(dir, 'events-000000000001.jsonl')
      const sizes: number[] = []
      journal.subscribe(() => sizes.push(statSync(file).size))
      for (let n = 0; n < 16; n++) journal.append('info', { message: 'in one tick' })
      expect(statSync(file).size).toBe(0)
      await nextTick()
      await nextTick()
      expect(sizes.length).toBe(16)
      expect(new Set(sizes)).toEqual(new Set([statSync(file).size]))
      expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBe(16)
      await journal.close()
    },
  )

  verifies(
    ['d6/durable-codon-ends'],
    'has a transition on disk and told before append returns, after all that came before it',
    async () => {
      const dir = await tempDir()
      const journal = await openTestJournal(dir)
      const heard: Entry[] = []
      journal.subscribe(entry => {
        heard.push(entry)
        expect(readFileSync(join(dir, 'events-000000000001.jsonl'), 'utf8')).toContain(
          `"seq":${entry.event.seq},`,
        )
      })
      journal.append('info', { message: 'before' })
      journal.append('codon.completed', {
        codonId: 'a',
        success: true,
        cost: 0,
        duration: 1,
        exitStatus: { type: 'success' },
      })
      expect(told(heard)).toEqual([1, 2])
      await journal.close()
    },
  )

  verifies(
    ['d6/durable-answers'],
    'has what answers a command on disk and told before append returns, whatever its type',
    async () => {
      const dir = await tempDir()
      const journal = await openTestJournal(dir)
      const heard: Entry[] = []
      journal.subscribe(entry => {
        heard.push(entry)
        expect(readFileSync(join(dir, 'events-000000000001.jsonl'), 'utf8')).toContain(
          `"seq":${entry.event.seq},`,
        )
      })
      journal.append('info', { message: 'answers nobody' })
      expect(told(heard)).toEqual([])
      journal.append('info', { message: 'answers somebody' }, { commandId: 'c1' })
      expect(told(heard)).toEqual([1, 2])
      await journal.close()
    },
  )

  test('tells in order when a listener appends, and to all when one throws', async () => {
    const errors: unknown[] = []
    const journal = await openTestJournal(await tempDir(), { onListenerError: error => errors.push(error) })
    const heard: Entry[] = []
    journal.subscribe(({ event }) => {
      if (event.type === 'info' && event.seq < 4) journal.append('rollback.completed', rollbackDone)
      throw new Error('a bad listener')
    })
    journal.subscribe(entry => heard.push(entry))
    journal.append('info', { message: 'one' })
    journal.append('info', { message: 'two' })
    journal.flush()
    expect(told(heard)).toEqual([1, 2, 3, 4])
    expect(errors.length).toBe(4)
    await journal.close()
  })

  test('a subscription ends when asked', async () => {
    const journal = await openTestJournal(await tempDir())
    const heard: Entry[] = []
    const stop = journal.subscribe(entry => heard.push(entry))
    journal.append('info', { message: 'one' })
    journal.flush()
    stop()
    journal.append('info', { message: 'two' })
    await journal.close()
    expect(told(heard)).toEqual([1])
  })

  test('hands out the text that travels: the event as JSON and nothing more', async () => {
    const journal = await openTestJournal(await tempDir())
    const heard: Entry[] = []
    journal.subscribe(entry => heard.push(entry))
    const small = journal.append(
      'info',
      { message: 'line\u2028separator "quoted" \ud800' },
      { commandId: 'c1' },
    )
    const large = journal.append('info', { message: 'x'.repeat(10_000) })
    await journal.close()
    expect(heard.map(entry => JSON.parse(entry.text))).toEqual([JSON.parse(JSON.stringify(small)), large])
    expect(JSON.parse(heard[0]?.text ?? '').commandId).toBe('c1')
    expect(heard[0]?.text).not.toContain('\u2028')
  })

  test('waits for the disk when asked, sharing one sync', async () => {
    const journal = await openTestJournal(await tempDir())
    journal.append('info', { message: 'one' })
    await Promise.all([journal.synced(), journal.synced(), journal.synced()])
    expect(journal.lastSeq).toBe(1)
    await journal.close()
  })

  test('begins a new segment when one is full, also while a sync is under way', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir, { segmentBytes: 2_000 })
    const syncs: Promise<void>[] = []
    for (let n = 0; n < 200; n++) {
      journal.append('info', { message: `event ${n}` })
      syncs.push(journal.synced())
      await nextTick()
    }
    await Promise.all(syncs)
    await journal.close()
    expect(readdirSync(dir).filter(name => name.endsWith('.jsonl')).length).toBeGreaterThan(5)
    expect((await readAll(dir)).events.length).toBe(200)
  })

  test('files are for their owner alone', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir, { segmentBytes: 10 })
    journal.append('info', { message: 'x'.repeat(5_000) })
    journal.flush()
    journal.append('info', { message: 'second segment' })
    await journal.close()
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      expect(statSync(join(dir, name)).mode & 0o077, name).toBe(0)
    }
  })
})

describe('large fields', () => {
  verifies(
    ['d6/blob-threshold', 'd6/blob-once', 'd6/blob-restored'],
    'stores a long field once by its SHA-256 and puts it back on reading',
    async () => {
      const dir = await tempDir()
      const journal = await openTestJournal(dir)
      const content = 'ä long file\n'.repeat(1_000)
      const file = { path: 'a.txt', filename: 'a.txt', content, action: 'created' } as const
      for (let n = 0; n < 5; n++) journal.append('file.updated', file)
      await journal.close()
      const blobs = readdirSync(join(dir, 'blobs'), { recursive: true, encoding: 'utf8' }).filter(
        name => name.length > 60,
      )
      expect(blobs.length).toBe(1)
      expect(statSync(join(dir, 'events-000000000001.jsonl')).size).toBeLessThan(2_500)
      const { events } = await readAll(dir)
      expect(events.map(event => event.data)).toEqual(Array(5).fill(file))
    },
  )

  verifies(
    ['d6/blob-once', 'd6/blob-restored'],
    'stores of a field that grows only what is new, and puts it together on reading',
    async () => {
      const dir = await tempDir()
      const journal = await openTestJournal(dir)
      const lines = Array.from({ length: 6_000 }, (_, at) => `${at}: ${'ä'.repeat(at % 50)}\n`)
      const file = (count: number) => {
        const content = lines.slice(0, count).join('')
        return { path: 'a.txt', filename: 'a.txt', content, action: 'modified' } as const
      }
      const counts = Array.from({ length: 40 }, (_, at) => 5_961 + at)
      for (const count of counts) journal.append('file.updated', file(count))
      await journal.close()
      const names = readdirSync(join(dir, 'blobs'), { recursive: true, encoding: 'utf8' })
      const stored = names.reduce((sum, name) => sum + statSync(join(dir, 'blobs', name)).size, 0)
      const all = counts.reduce((sum, count) => sum + Buffer.byteLength(file(count).content), 0)
      expect(stored).toBeLessThan(all / 4)
      const { events } = await readAll(dir)
      expect(events.map(event => event.data)).toEqual(counts.map(file))
    },
  )

  test('keeps a field of exactly the limit in the line', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir)
    journal.append('info', { message: 'x'.repeat(4_094) })
    journal.append('info', { message: 'x'.repeat(4_095) })
    await journal.close()
    expect(readdirSync(join(dir, 'blobs')).length).toBe(1)
  })

  test('an event whose blob is lost is still read, with the field empty', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir)
    journal.append('filetree.updated', { tree: Array.from({ length: 200 }, (_, n) => fileNode(`f${n}`)) })
    await journal.close()
    const blob = readdirSync(join(dir, 'blobs'), { recursive: true, encoding: 'utf8' }).find(
      name => name.length > 60,
    )
    writeFileSync(join(dir, 'blobs', blob ?? ''), 'damaged')
    const history = (await openTestJournal(dir)).history
    for await (const page of history.pages()) {
      expect(JSON.parse(await history.text(page.events[0] ?? missing())).data).toEqual({ tree: null })
    }
  })
})

describe('a disk that refuses', () => {
  test('stops for good: the failed event is not told, every later append throws, the file is readable afterwards', async () => {
    const dir = await tempDir()
    const program = await fixtureProgram(new URL('./fixtures/append-until-refused.ts', import.meta.url))
    // The limit on file size makes the kernel refuse real writes half-way through a line.
    const child = spawnSync(
      '/bin/sh',
      ['-c', `ulimit -f 8; exec "${process.execPath}" "${program}" "${dir}"`],
      {
        encoding: 'utf8',
      },
    )
    const report = JSON.parse(child.stdout)
    expect(report.name).toBe('JournalFailure')
    expect(report.failures).toBe(1)
    expect(report.message).toContain(dir)
    expect(report.later).toBe('JournalFailure')
    const { events } = await readAll(dir)
    expect(report.told).toBeGreaterThan(0)
    expect(events.length).toBeGreaterThanOrEqual(report.told)
    const again = await openTestJournal(dir)
    expect(again.append('info', { message: 'space again' }).seq).toBe(events.length + 1)
    await again.close()
  })
})

const rollbackDone = {
  fromRun: 'r1',
  toRun: 'r2',
  checkpoint: 'abcd',
  codonId: 'a',
  codonName: 'A',
  checkpointType: 'completed',
  autoRestart: false,
} as const

function fileNode(name: string) {
  return { name, path: name, isDirectory: false, children: [] }
}

function missing(): never {
  throw new Error('no event on the page')
}
