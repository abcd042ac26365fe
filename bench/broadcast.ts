import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Journal, openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import { startServer } from '../packages/runtime/src/server/index.ts'
import { createFakeControl } from '../packages/runtime/test/server/fake-control.ts'
import { plainSender, type Sender } from '../packages/runtime/test/server/plain-sender.ts'
import { bundleServe } from '../packages/runtime/test/server/serve-program.ts'
import { type Crowd, startCrowd } from './crowd.ts'
import { atLeast, atMost, type Figure, interleaved, seconds } from './measure.ts'

const perTick = 16
const words = 'An ordinary event of about three hundred bytes, as a message would be. '.repeat(2)
const tick = () => new Promise(resolve => setImmediate(resolve))

/** The control socket against plain ways to do the same (goals P3 over the socket, P4, P5 and the server's part of P13). */
export async function broadcastFigures(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), 'weave-bench-'))
  const crowd = startCrowd()
  try {
    return [
      ...(await burstFigures(base, crowd)),
      ...(await pacedFigures(base, crowd)),
      ...(await historyFigures(base, crowd)),
      ...(await memoryFigures(base)),
    ]
  } finally {
    await crowd.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** The product: through the journal, with redaction, and through the gates. */
async function product(dir: string): Promise<Sender & { readonly journal: Journal }> {
  const secrets = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GITHUB_TOKEN'].map(name => ({
    name,
    value: `${name}-${'s3cr3t'.repeat(6)}`,
  }))
  const redactor = createRedactor(secrets)
  const journal = await openJournal({ dir, clock: systemClock, redactor })
  const started = await startServer({
    port: 0,
    readonlyOnly: false,
    idleTimeoutSeconds: 0,
    allowOtherUsers: false,
    journal,
    redactor,
    control: createFakeControl(),
    ready: () => ({ serverVersion: '0.10.0', executionPath: '/e', dataPath: '/d' }),
    clock: systemClock,
  })
  if (!started.ok) throw new Error(started.message)
  const { server } = started
  return {
    port: server.port,
    greetings: 2,
    journal,
    tell: message => void journal.append('info', { message }),
    async close() {
      await server.close('done')
      await journal.close()
    },
  }
}

async function burstFigures(base: string, crowd: Crowd): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [clients, events] of [
    [100, 800],
    [1_000, 160],
  ] as const) {
    const [floor, subject] = [await plainSender(), await product(join(base, `burst-${clients}`))]
    const measure = async (sender: Sender) => {
      await crowd.ask({ do: 'connect', port: sender.port, count: clients, greetings: sender.greetings })
      let rounds = 0
      const round = async () => {
        rounds++
        for (let n = 0; n < events; n++) {
          sender.tell(words)
          if (n % perTick === perTick - 1) await tick()
        }
        await crowd.ask({ do: 'await', frames: rounds * events })
      }
      await round()
      const time = await seconds(async () => {
        for (let n = 0; n < 2; n++) await round()
      })
      await crowd.ask({ do: 'leave' })
      return (2 * events * clients) / time
    }
    const result = await interleaved(
      3,
      () => measure(floor),
      () => measure(subject),
    )
    figures.push({
      id: `P4 ${clients}`,
      what: `bursts to ${clients} clients, 16 events a tick`,
      unit: 'deliveries/s',
      ...result,
      goal: atLeast(10),
    })
    await Promise.all([floor.close(), subject.close()])
  }
  return figures
}

/** At the rate of the goal, and at one that the usual way keeps up with too: there both cost what the system asks. */
async function pacedFigures(base: string, crowd: Crowd): Promise<readonly Figure[]> {
  const [floor, subject] = [await plainSender(), await product(join(base, 'paced'))]
  const figures: Figure[] = []
  for (const [id, perSecond, wanted] of [
    ['P5', 1_000, 0.6],
    ['P5 calm', 100, 1],
  ] as const) {
    const p99: { floor: number[]; subject: number[] } = { floor: [], subject: [] }
    const measure = async (sender: Sender, late: number[]) => {
      const { port, greetings } = sender
      await crowd.ask({ do: 'connect', port, count: 100, greetings, isTimed: true })
      await pace(sender, 3 * perSecond, 1_000 / perSecond)
      const { delays } = await crowd.ask({ do: 'await', frames: 3 * perSecond })
      await crowd.ask({ do: 'leave' })
      late.push(delays?.p99 ?? Number.NaN)
      return delays?.p50 ?? Number.NaN
    }
    const p50 = await interleaved(
      3,
      () => measure(floor, p99.floor),
      () => measure(subject, p99.subject),
    )
    const [late, floorLate] = [middle(p99.subject), middle(p99.floor)]
    const what = `delay at ${perSecond} events/s to 100 clients`
    const row = { unit: 'ms', goal: atMost(wanted) }
    figures.push({ ...row, id: `${id} p50`, what: `${what}, median`, ...p50 })
    figures.push({
      ...row,
      id: `${id} p99`,
      what: `${what}, 99 %`,
      subject: late,
      floor: floorLate,
      spread: '',
    })
  }
  await Promise.all([floor.close(), subject.close()])
  return figures
}

/**
 * One event every so many milliseconds; what a late timer missed is made up for. An event says when it was due, not when it was sent:
 * a sender that is too busy to begin in time is late too.
 */
function pace(sender: Sender, events: number, everyMs: number): Promise<void> {
  const started = process.hrtime.bigint()
  const step = BigInt(everyMs * 1_000_000)
  let told = 0
  return new Promise(resolve => {
    const timer = setInterval(() => {
      const due = Math.min(events, Number((process.hrtime.bigint() - started) / step))
      for (; told < due; told++) sender.tell(`sent ${started + BigInt(told + 1) * step} ${words}`)
      if (told < events) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
}

async function historyFigures(base: string, crowd: Crowd): Promise<readonly Figure[]> {
  const dir = join(base, 'million')
  await fill(dir, 1_000_000)
  let peak = 0
  const firsts: number[] = []
  const cold = async () => {
    const sender = await product(dir)
    await crowd.ask({ do: 'connect', port: sender.port, count: 1, greetings: sender.greetings })
    const before = process.memoryUsage.rss()
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss() - before)
    }, 5)
    const { first, all } = await crowd.ask({ do: 'sync' })
    clearInterval(watch)
    await crowd.ask({ do: 'leave' })
    await sender.close()
    firsts.push(first ?? Number.NaN)
    return all ?? Number.NaN
  }
  const raw = async () => {
    const server = await rawHistory(dir)
    await crowd.ask({ do: 'connect', port: server.port, count: 1, greetings: 0 })
    const { all } = await crowd.ask({ do: 'sync' })
    await crowd.ask({ do: 'leave' })
    server.close()
    return all ?? Number.NaN
  }
  const whole = await interleaved(3, raw, cold)
  const limit = (id: string, what: string, rest: Pick<Figure, 'unit' | 'subject' | 'floor'>): Figure => ({
    id,
    what,
    ...rest,
    spread: '',
    goal: atMost(1),
  })
  return [
    {
      id: 'P3 socket',
      what: 'history.sync of 1,000,000 events, cold, against raw batches over a socket',
      unit: 'ms',
      ...whole,
      goal: atMost(3),
    },
    limit('P3 socket memory', 'growth of memory meanwhile, against 150 MB', {
      unit: 'MB',
      subject: peak / 1e6,
      floor: 150,
    }),
    limit('P3 socket first', 'the first batch of a cold server, against 50 ms', {
      unit: 'ms',
      subject: middle(firsts),
      floor: 50,
    }),
  ]
}

async function fill(dir: string, events: number): Promise<void> {
  const journal = await openJournal({ dir, clock: systemClock, redactor: createRedactor([]) })
  for (let n = 0; n < events; n++) {
    journal.append('info', { message: words })
    if (n % 1_000 === 0) await tick()
  }
  await journal.close()
}

/** The floor: chunks of the files, cut at line feeds, 500 lines to a frame, written as fast as the socket takes them. */
async function rawHistory(dir: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(socket => {
    socket.setNoDelay(true)
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
      socket.on('data', (chunk: Buffer) => {
        if (chunk.includes('history.sync')) void sendRaw(dir, socket)
      })
    })
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

async function sendRaw(dir: string, socket: Socket): Promise<void> {
  for (const name of readdirSync(dir).sort()) {
    if (name.endsWith('.jsonl')) await sendFile(join(dir, name), socket)
  }
  socket.write(frame([Buffer.from(`${' '.repeat(60)}"hasMore":false}}`)]))
}

async function sendFile(path: string, socket: Socket): Promise<void> {
  const fd = openSync(path, 'r')
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafeSlow(1024 * 1024)
    const bytes = readSync(fd, chunk, 0, chunk.length, position)
    if (bytes === 0) break
    const end = chunk.lastIndexOf(10, bytes - 1) + 1
    for (let from = 0; from < end; ) {
      const lines: Buffer[] = []
      while (lines.length < 1_000 && from < end) {
        const to = chunk.indexOf(10, from)
        lines.push(comma, chunk.subarray(from + 18, to))
        from = to + 1
      }
      if (!socket.write(frame(lines))) await once(socket, 'drain')
    }
    position += end
  }
  closeSync(fd)
}

const comma = Buffer.from(',{')

function frame(parts: readonly Buffer[]): Buffer {
  const payload = Buffer.concat(parts)
  const head = Buffer.alloc(10)
  head[0] = 0x81
  head[1] = 127
  head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, payload])
}

/** Memory of a server in a process of its own, bundled as it is shipped: idle, and after 100,000 events. */
async function memoryFigures(base: string): Promise<readonly Figure[]> {
  const program = join(base, 'serve.mjs')
  await bundleServe(program)
  const child = fork(program, [join(base, 'memory')], { execArgv: [] })
  const idle = (await once(child, 'message'))[0] as { readonly rss: number }
  child.send({ append: 100_000, bytes: words.length, perTick })
  const after = (await once(child, 'message'))[0] as { readonly rss: number }
  child.disconnect()
  await once(child, 'exit')
  const figure = (id: string, what: string, sizes: Pick<Figure, 'subject' | 'floor'>): Figure => ({
    id,
    what,
    unit: 'MB',
    ...sizes,
    spread: '',
    goal: atMost(1),
  })
  return [
    figure('P13 idle', 'memory of an idle server, against 90 MB', { subject: idle.rss / 1e6, floor: 90 }),
    figure('P13 used', 'growth after 100,000 events, against 60 MB', {
      subject: (after.rss - idle.rss) / 1e6,
      floor: 60,
    }),
  ]
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
