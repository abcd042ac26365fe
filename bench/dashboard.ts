import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { startRun } from './dashboard-cost.ts'
import { busyCounter, findText, findType, jumps, opened, sizes, watchNewest } from './dashboard-page.ts'
import {
  newPage,
  type StagedHub,
  startBrowser,
  startHub,
  writeEnded,
  writeExecutionFile,
} from './dashboard-stage.ts'
import { atMost, type Figure, seconds } from './measure.ts'

const million = 1_000_000
const executions = 1_000
const liveSeconds = Number(process.env['WEAVE_BENCH_LIVE_SECONDS'] ?? 60)

/** The dashboard of the built command in a real browser, against the figures that were promised. Needs a built command. */
export async function dashboardFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const browser = await startBrowser()
  try {
    const long = join(base, 'runs', 'long')
    await writeEnded(long, million)
    settleDisk()
    return [
      ...sizeFigures(),
      ...(await longFigures(base, browser)),
      ...(await liveFigures(base, browser)),
      ...(await hubFigures(base)),
    ]
  } finally {
    await browser.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** While the system still writes what was staged, whoever reads waits for it: a fifth of a list. No hub is started in such a moment. */
function settleDisk(): void {
  execFileSync('sync')
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

const coldHubs = 5

/** Asks a hub for its list of executions, once its page was loaded. */
async function listing(hub: StagedHub): Promise<() => Promise<void>> {
  await (await fetch(hub.origin)).text()
  const headers = { authorization: `Bearer ${await hub.session()}` }
  return async () => {
    const text = await (await fetch(`${hub.origin}/api/executions`, { headers })).text()
    if (!text.includes('run-999')) throw new Error('not all executions are listed')
  }
}

async function hubFigures(base: string): Promise<readonly Figure[]> {
  const many = join(base, 'many')
  mkdirSync(many)
  await writeEnded(join(many, 'run-0'), 200)
  for (let at = 1; at < executions; at++)
    cpSync(join(many, 'run-0'), join(many, `run-${at}`), { recursive: true })
  settleDisk()
  // Each hub knows nothing: the first list of one tells little on a machine that others use.
  const firsts: number[] = []
  for (let round = 1; round < coldHubs; round++) {
    const other = await startHub(many, join(base, `home-${round}`))
    firsts.push(await seconds(await listing(other)))
    await other.close()
  }
  const hub = await startHub(many, join(base, 'home'))
  try {
    const list = await listing(hub)
    firsts.push(await seconds(list))
    const warm: number[] = []
    for (let round = 0; round < 9; round++) warm.push(await seconds(list))
    const before = processorMs(hub.pid)
    await new Promise(resolve => setTimeout(resolve, 70_000))
    const idle = processorMs(hub.pid) - before
    return [
      against(['list cold', `list of ${executions} executions, the first`, middle(firsts) * 1000, 300, 'ms']),
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

function part(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function middle(values: readonly number[]): number {
  return part(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}
