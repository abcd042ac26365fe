import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { createFollower } from '../packages/runtime/src/dashboard/follower.ts'
import { createReaders } from '../packages/runtime/src/dashboard/index.ts'
import { writeStateCache } from '../packages/runtime/src/journal/index.ts'
import { listSegments, loadIndex } from '../packages/runtime/src/journal/segments.ts'
import { executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { type Crowd, startCrowd } from './crowd.ts'
import { busyCounter, findText, findType, jumps, opened, sizes, watchNewest } from './dashboard-page.ts'
import type { RunAnswer } from './dashboard-run.ts'
import { newPage, type StagedHub, startBrowser, startHub, writeExecutionFile } from './dashboard-stage.ts'
import { writeLongJournal } from './long-journal.ts'
import { atMost, type Figure, interleaved, seconds } from './measure.ts'
import { realCodons, workspaceIn } from './overhead.ts'

const million = 1_000_000
const executions = 1_000
const liveSeconds = Number(process.env['WEAVE_BENCH_LIVE_SECONDS'] ?? 60)

/** The dashboard of the built command in a real browser, against the figures that were promised. Needs a built command. */
export async function dashboardFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const browser = await startBrowser()
  const crowd = startCrowd()
  try {
    const long = join(base, 'runs', 'long')
    await writeEnded(long, million)
    return [
      ...sizeFigures(),
      ...(await longFigures(base, browser)),
      ...(await liveFigures(base, browser)),
      ...(await hubFigures(base)),
      ...(await runFigures(long, browser, crowd)),
      await codonFigure(base, long),
    ]
  } finally {
    await crowd.close()
    await browser.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** An execution as a server leaves it. */
async function writeEnded(dir: string, events: number): Promise<void> {
  writeExecutionFile(dir, 'Long')
  writeLongJournal(dir, events)
  const { journal, stateFile } = executionLayout(dir)
  for (const { path } of await listSegments(journal)) await loadIndex(path)
  const { state, lastSeq } = await createFollower(dir).look()
  writeStateCache(stateFile, { state, lastSeq, lastId: `evt_${lastSeq}` })
}

type Row = readonly [id: string, what: string, subject: number, most: number, unit: string]

function against([id, what, subject, floor, unit]: Row): Figure {
  const goal = atMost(1)
  return {
    id: `dash ${id}`,
    what: `${what}, against ${floor} ${unit}`,
    unit,
    subject,
    floor,
    spread: '',
    goal,
  }
}

function sizeFigures(): readonly Figure[] {
  const dir = new URL('../packages/cli/dist/web/', import.meta.url).pathname
  const contents = (name: string): Buffer => brotliDecompressSync(readFileSync(join(dir, name)))
  const shell = contents('index.html.br').toString()
  const size = (ending: string): number =>
    readdirSync(dir)
      .filter(name => name.endsWith(`${ending}.br`) && shell.includes(name.slice(0, -'.br'.length)))
      .reduce((sum, name) => sum + gzipSync(contents(name)).length, 0) / 1000
  return [
    against(['script', 'script of the first load, compressed', size('.js'), 120, 'kB']),
    against(['style', 'style of the first load, compressed', size('.css'), 12, 'kB']),
  ]
}

async function longFigures(base: string, browser: Browser): Promise<readonly Figure[]> {
  const hub = await startHub(join(base, 'runs'), join(base, 'home'))
  try {
    const open = async () => {
      const page = await newPage(browser)
      return { page, ...(await opened(page, await hub.link('/e/long'))) }
    }
    const cold = await open()
    await cold.page.context().close()
    const later: number[] = []
    for (let round = 0; round < 5; round++) {
      const { page, filled } = await open()
      later.push(filled)
      await page.context().close()
    }
    const { page, picture } = await open()
    const times = await jumps(page, 200)
    const { heap, nodes } = await sizes(page)
    const found = await findType(page)
    const text = await findText(page, 'tool_166000')
    await page.context().close()
    const cancel = await cancelMs(hub)
    return [
      against(['picture', 'the first picture', picture, 400, 'ms']),
      against(['open cold', 'rows of 1,000,000 events, the first page of a hub', cold.filled, 500, 'ms']),
      against(['open', 'rows of 1,000,000 events', middle(later), 500, 'ms']),
      against(['jump', 'a jump anywhere, 95 of 100', part(times, 0.95), 150, 'ms']),
      against(['heap', 'heap of the page after 200 jumps', heap / 1e6, 60, 'MB']),
      against(['nodes', 'elements of the page after 200 jumps', nodes, 1_500, '']),
      against(['find first', 'find by type, first rows', found.first, 300, 'ms']),
      against(['find type', 'find by type, all of 1,000,000', found.all, 3_000, 'ms']),
      against(['find text', 'find by text, all of 1,000,000', text, 8_000, 'ms']),
      against(['cancel', 'a search ends when nobody waits for it', cancel, 50, 'ms']),
    ]
  } finally {
    await hub.close()
  }
}

/** Two searches hold both places; how long the third waits after one of them was given up. */
async function cancelMs(hub: StagedHub): Promise<number> {
  const headers = { authorization: `Bearer ${await hub.session()}` }
  const search = (signal?: AbortSignal) =>
    fetch(`${hub.origin}/api/e/long/find?text=nowhere`, { headers, ...(signal && { signal }) })
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const [one, other] = [new AbortController(), new AbortController()]
    await Promise.all([search(one.signal), search(other.signal)])
    const third = new AbortController()
    const begun = performance.now()
    const waiting = search(third.signal)
    await new Promise(resolve => setTimeout(resolve, 100))
    one.abort()
    await waiting
    times.push(performance.now() - begun - 100)
    other.abort()
    third.abort()
  }
  return middle(times)
}

interface Run {
  readonly port: number
  readonly link: string
  /** Buys another session. */
  readonly key: string
  /** A thousand events a second, so many; says when it began. */
  tell(events: number): Promise<number>
  close(): Promise<void>
}

async function startRun(dir: string): Promise<Run> {
  const child: ChildProcess = fork(new URL('./dashboard-run.ts', import.meta.url).pathname, [dir], {
    execArgv: ['--import', 'tsx', '--conditions=weave-source'],
  })
  const heard = async () => (await once(child, 'message'))[0] as RunAnswer
  const ready = await heard()
  if (!('port' in ready)) throw new Error('the run did not begin')
  return {
    ...ready,
    async tell(events) {
      const begun = Date.now()
      child.send({ tell: events })
      await heard()
      return begun
    },
    async close() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

async function liveFigures(base: string, browser: Browser): Promise<readonly Figure[]> {
  const dir = join(base, 'live', 'live')
  writeExecutionFile(dir, 'Live')
  const run = await startRun(dir)
  await run.tell(1_000)
  const hub = await startHub(join(base, 'live'), join(base, 'home'))
  try {
    const page = await newPage(browser)
    await opened(page, await hub.link('/e/live'))
    const busy = await busyCounter(page)
    const newest = await watchNewest(page)
    const before = await busy()
    const begun = await run.tell(liveSeconds * 1_000)
    const used = (await busy()) - before
    const late = (await newest())
      .filter(([time]) => time - begun > 2_000 && time - begun < liveSeconds * 1_000)
      .map(([time, seq]) => time - begun - (seq - 1_000))
      .sort((a, b) => a - b)
    await page.context().close()
    const what = `at 1,000 events/s for ${liveSeconds} s`
    return [
      against(['live busy', `main thread of the page ${what}`, (100 * used) / liveSeconds, 50, '%']),
      against([
        'live late',
        `newest row behind the newest event ${what}, median`,
        part(late, 0.5),
        250,
        'ms',
      ]),
      against(['live latest', `the same, 95 of 100`, part(late, 0.95), 250, 'ms']),
    ]
  } finally {
    await hub.close()
    await run.close()
  }
}

async function hubFigures(base: string): Promise<readonly Figure[]> {
  const many = join(base, 'many')
  mkdirSync(many)
  await writeEnded(join(many, 'run-0'), 200)
  for (let at = 1; at < executions; at++)
    cpSync(join(many, 'run-0'), join(many, `run-${at}`), { recursive: true })
  const hub = await startHub(many, join(base, 'home'))
  try {
    await (await fetch(hub.origin)).text()
    const headers = { authorization: `Bearer ${await hub.session()}` }
    const list = async () => {
      const text = await (await fetch(`${hub.origin}/api/executions`, { headers })).text()
      if (!text.includes('run-999')) throw new Error('not all executions are listed')
    }
    const cold = await seconds(list)
    const warm: number[] = []
    for (let round = 0; round < 9; round++) warm.push(await seconds(list))
    const before = processorMs(hub.pid)
    await new Promise(resolve => setTimeout(resolve, 70_000))
    const idle = processorMs(hub.pid) - before
    return [
      against(['list cold', `list of ${executions} executions, the first`, cold * 1000, 300, 'ms']),
      against(['list', `list of ${executions} executions, later ones`, middle(warm) * 1000, 30, 'ms']),
      against(['idle', 'processor of an idle hub', idle / 700, 0.5, '%']),
      against([
        'memory',
        'memory of a hub, a minute after the last question',
        memoryOf(hub.pid) / 1e6,
        90,
        'MB',
      ]),
    ]
  } finally {
    await hub.close()
  }
}

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** P5 again, with a page open on the port of the run and a search under way, against without. */
async function runFigures(dir: string, browser: Browser, crowd: Crowd): Promise<readonly Figure[]> {
  const run = await startRun(dir)
  const page = await newPage(browser)
  try {
    await opened(page, run.link)
    const { port } = run
    const late = async (): Promise<number> => {
      await crowd.ask({ do: 'connect', port, count: 100, greetings: 2, isTimed: true })
      await run.tell(3_000)
      const { delays } = await crowd.ask({ do: 'await', frames: 3_000 })
      await crowd.ask({ do: 'leave' })
      return delays?.p99 ?? Number.NaN
    }
    const alone = async (): Promise<number> => {
      await page.goto('about:blank')
      return late()
    }
    const watched = async (): Promise<number> => {
      await page.goto(`${run.link.split('#')[0]}/stream?q=nowhere`)
      return late()
    }
    const bare = async (): Promise<number> => {
      await receiveOnly(page, port)
      return late()
    }
    const p99 = await interleaved(5, alone, watched)
    const bareP99 = await interleaved(5, alone, bare)
    await page.goto('about:blank')
    const search = await searchIn(run)
    const part = await interleaved(5, late, () => search(late))
    const what = 'P5 p99 with a page open and a search under way, against without'
    return [
      { id: 'dash P5 p99', what, unit: 'ms', ...p99, goal: atMost(1.1) },
      {
        id: 'dash P5 bare',
        what: 'the same with a page of one line that receives the events and shows nothing: what a browser costs on this machine',
        unit: 'ms',
        ...bareP99,
      },
      {
        id: 'dash P5 part',
        what: 'part of it: the search alone, no browser at work',
        unit: 'ms',
        ...part,
        goal: atMost(1.1),
      },
    ]
  } finally {
    await page.context().close()
    await run.close()
  }
}

/** A page that receives what ours does, and does nothing with it. */
async function receiveOnly(page: Page, port: number): Promise<void> {
  const address = `127.0.0.1:${port}`
  await page.route('**/bare', route => route.fulfill({ contentType: 'text/html', body: '<p>bare</p>' }))
  await page.goto(`http://${address}/bare`)
  await page.evaluate(
    url =>
      new Promise<void>((resolve, reject) => {
        const socket = new WebSocket(url)
        socket.onopen = () =>
          socket.send('{"type":"handshake","data":{"mode":"readonly","extensions":["weave"]}}')
        socket.onmessage = () => resolve()
        socket.onclose = () => reject(new Error('the page was not let in'))
      }),
    `ws://${address}`,
  )
}

/** Something while the run is searched again and again over its port, by who has a session and no browser. */
async function searchIn({ port, key }: Run) {
  const origin = `http://127.0.0.1:${port}`
  const answer = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  })
  const { session } = (await answer.json()) as { readonly session?: string }
  if (session === undefined) throw new Error('no session for the search')
  const headers = { authorization: `Bearer ${session}` }
  return async <T>(during: () => Promise<T>): Promise<T> => {
    const { signal, abort } = controlled()
    const search = async (): Promise<void> => {
      while (!signal.aborted)
        await fetch(`${origin}/api/e/long/find?text=nowhere`, { headers, signal }).then(found => found.text())
    }
    const searching = search().catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    const result = await during()
    abort()
    await searching
    return result
  }
}

/** P11 again, with a search under way in the reading thread of the same process. */
async function codonFigure(base: string, long: string): Promise<Figure> {
  const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname
  const readers = createReaders({ file: launcher, argv: ['dashboard-reader'] }, { isPolite: true })
  let run = 0
  const next = () => workspaceIn(join(base, 'codons', `${run++}`))
  const searched = async (): Promise<number> => {
    const { signal, abort } = controlled()
    const place = { name: 'long', dir: long }
    const search = async (): Promise<void> => {
      while (!signal.aborted)
        await readers.ask(
          { kind: 'find', place, query: { text: 'nowhere' } },
          { signal, onHead: () => undefined, onBytes: () => undefined },
        )
    }
    const searching = search()
    const time = await realCodons(next())
    abort()
    await searching
    return time
  }
  const result = await interleaved(5, () => realCodons(next()), searched)
  await readers.close()
  const what = 'P11 with a search under way in the same process, against without'
  return { id: 'dash P11', what, unit: 'ms', ...result, goal: atMost(1.1) }
}

function controlled() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

function part(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function middle(values: readonly number[]): number {
  return part(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}
