import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createHistory,
  type History,
  type Journal,
  openJournal,
} from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import { acquireLock } from '../packages/runtime/src/workspace/index.ts'
import { atLeast, atMost, type Figure, interleaved, seconds } from './measure.ts'

const perTick = 16
const message =
  'An ordinary event of about three hundred bytes, as a tool result or a message would be. '.repeat(2)
const secrets = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GITHUB_TOKEN'].map(name => ({
  name,
  value: `${name}-${'s3cr3t'.repeat(6)}`,
}))
const tick = () => new Promise(resolve => setImmediate(resolve))

/** As a server has it: every write asks the lock of the execution first. */
async function open(dir: string): Promise<Journal> {
  const clock = systemClock
  mkdirSync(dir, { recursive: true })
  const lockFile = join(dir, 'lock.json')
  const locked = await acquireLock({ lockFile, runId: dir, clock, onLost: () => undefined })
  if (locked.kind !== 'acquired') throw new Error(locked.message)
  const { assertHeld } = locked.lock
  return openJournal({ dir, clock, redactor: createRedactor(secrets), assertHeld })
}

/** The journal against plain writes and reads of the same events (goals P1 to P3). */
export async function journalFigures(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), 'weave-bench-'))
  try {
    return [...(await appendFigures(base)), ...(await readFigures(base))]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

async function appendFigures(base: string): Promise<readonly Figure[]> {
  let run = 0
  const fresh = () => join(base, `run-${run++}`)
  const unsynced = await interleaved(
    7,
    () => plainAppends(fresh(), 80_000, false),
    () => journalAppends(fresh(), 80_000, false),
  )
  const synced = await interleaved(
    7,
    () => plainAppends(fresh(), 8_000, true),
    () => journalAppends(fresh(), 8_000, true),
  )
  return [
    {
      id: 'P1',
      what: 'journal appends in ticks of 16, redaction on',
      unit: 'events/s',
      ...unsynced,
      goal: atLeast(0.5),
    },
    { id: 'P2', what: 'the same, acknowledged after sync', unit: 'events/s', ...synced, goal: atLeast(0.6) },
  ]
}

/** The floor: a number, an id, a time and one serialisation per event; one write per tick. */
async function plainAppends(path: string, events: number, sync: boolean): Promise<number> {
  const fd = openSync(path, 'a')
  const time = await seconds(async () => {
    for (let n = 0; n < events; n += perTick) {
      let batch = ''
      for (let each = 0; each < perTick; each++) batch += plainLine(n + each)
      writeSync(fd, batch)
      if (sync) fdatasyncSync(fd)
      await tick()
    }
  })
  closeSync(fd)
  return events / time
}

function plainLine(seq: number): string {
  const event = {
    seq,
    id: randomUUID(),
    timestamp: new Date().toISOString(),
    type: 'info',
    data: { message },
  }
  return `${JSON.stringify(event)}\n`
}

async function journalAppends(dir: string, events: number, sync: boolean): Promise<number> {
  const journal = await open(dir)
  const time = await seconds(async () => {
    for (let n = 0; n < events; n += perTick) {
      for (let each = 0; each < perTick; each++) journal.append('info', { message })
      await (sync ? journal.synced() : tick())
    }
  })
  await journal.close()
  return events / time
}

async function readFigures(base: string): Promise<readonly Figure[]> {
  const dir = join(base, 'million')
  await fill(dir, 1_000_000)
  let peak = 0
  const whole = await interleaved(
    5,
    () => milliseconds(() => rawBatches(dir)),
    async () => {
      const { time, growth } = await readBack(dir)
      peak = Math.max(peak, growth)
      return time
    },
  )
  const floor = () => milliseconds(() => rawPage(dir))
  const warm = createHistory({ dir })
  const page = await interleaved(50, floor, () => milliseconds(() => readPage(warm, 899_500)))
  const first = await interleaved(50, floor, () =>
    milliseconds(() => readPage(createHistory({ dir }), 999_500)),
  )
  return [
    {
      id: 'P3 all',
      what: '1,000,000 events read back, checked, in batches',
      unit: 'ms',
      ...whole,
      goal: atMost(3),
    },
    {
      id: 'P3 memory',
      what: 'growth of memory meanwhile, against 150 MB',
      unit: 'MB',
      subject: peak,
      floor: 150,
      spread: '',
      goal: atMost(1),
    },
    { id: 'P3 page', what: 'a page of 500 at event 900,000', unit: 'ms', ...page, goal: atMost(3) },
    {
      id: 'P3 first',
      what: 'the last page by a reader that knows nothing, against 50 ms',
      unit: 'ms',
      ...first,
      floor: 50,
      goal: atMost(1),
    },
  ]
}

async function milliseconds(body: () => unknown): Promise<number> {
  return (await seconds(body)) * 1000
}

async function fill(dir: string, events: number): Promise<void> {
  const journal = await open(dir)
  for (let n = 0; n < events; n++) {
    journal.append('info', { message })
    if (n % 1_000 === 0) await tick()
  }
  await journal.close()
}

/** Everything through the real path: found, checked, cut into batches, each put together as it would be sent. */
async function readBack(dir: string): Promise<{ readonly time: number; readonly growth: number }> {
  const before = process.memoryUsage.rss()
  let peak = before
  let events = 0
  const time = await milliseconds(async () => {
    for await (const page of createHistory({ dir }).pages({ maxEvents: 500, maxBytes: 1024 * 1024 })) {
      events += page.events.length
      payload(page.events.map(stored => stored.rest))
      if (events % 50_000 === 0) peak = Math.max(peak, process.memoryUsage.rss())
    }
  })
  if (events !== 1_000_000) throw new Error(`read ${events} events`)
  return { time, growth: (peak - before) / 1e6 }
}

/** The floor of reading everything: chunks of the same files, cut at line feeds into batches, not looked at, put together. */
function rawBatches(dir: string): void {
  const files = readdirSync(dir).filter(name => name.endsWith('.jsonl'))
  const lines = files.reduce((sum, name) => sum + rawFile(join(dir, name)), 0)
  if (lines !== 1_000_000) throw new Error(`cut ${lines} lines`)
}

function rawFile(path: string): number {
  const fd = openSync(path, 'r')
  let lines = 0
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafeSlow(1024 * 1024)
    const bytes = readSync(fd, chunk, 0, chunk.length, position)
    if (bytes === 0) break
    const cut = cutLines(chunk.subarray(0, bytes))
    lines += cut.length
    for (let at = 0; at < cut.length; at += 500) payload(cut.slice(at, at + 500))
    position += chunk.lastIndexOf(10, bytes - 1) + 1
  }
  closeSync(fd)
  return lines
}

/** The floor of a page: the place is known; one read of the right size, cut at line feeds. */
function rawPage(dir: string): void {
  const fd = openSync(join(dir, 'events-000000000001.jsonl'), 'r')
  const page = Buffer.allocUnsafeSlow(160_000)
  readSync(fd, page, 0, page.length, 4_000_000)
  payload(cutLines(page))
  closeSync(fd)
}

function cutLines(chunk: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
    lines.push(chunk.subarray(from, to))
    from = to + 1
  }
  return lines
}

async function readPage(history: History, after: number): Promise<void> {
  let events = 0
  for await (const page of history.pages({ after, upTo: after + 500 })) {
    events += page.events.length
    payload(page.events.map(stored => stored.rest))
  }
  if (events !== 500) throw new Error(`read ${events} events`)
}

/** One message with many events, as it goes to a socket. */
function payload(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap(line => [comma, line]))
}

const comma = Buffer.from(',{')
