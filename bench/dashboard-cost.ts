import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { createReaders } from '../packages/runtime/src/dashboard/index.ts'
import { type Crowd, startCrowd } from './crowd.ts'
import type { RunAnswer } from './dashboard-run.ts'
import { barePage, startBrowser, writeEnded } from './dashboard-stage.ts'
import { atMost, type Figure, interleaved } from './measure.ts'
import { realCodons, workspaceIn } from './overhead.ts'

/** A run in a process of its own. */
export interface StagedRun {
  readonly port: number
  readonly link: string
  /** Buys another session. */
  readonly key: string
  /** A thousand events a second, so many; says when it began. */
  tell(events: number): Promise<number>
  close(): Promise<void>
}

export async function startRun(dir: string): Promise<StagedRun> {
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

const million = 1_000_000

/** What the dashboard takes from a run beside it: P5 and P11 again. Needs a built command. */
export async function dashboardCostFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const browser = await startBrowser()
  const crowd = startCrowd()
  try {
    const long = join(base, 'long')
    await writeEnded(long, million)
    return [...(await runFigures(long, browser, crowd)), await codonFigure(base, long)]
  } finally {
    await crowd.close()
    await browser.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** P5 again, with a page open on the port of the run and a search under way, against without. */
async function runFigures(dir: string, browser: Browser, crowd: Crowd): Promise<readonly Figure[]> {
  const run = await startRun(dir)
  const page = await barePage(browser)
  try {
    await page.goto(run.link)
    await page.waitForSelector('.stream-list .event')
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
      await page.waitForTimeout(settledMs)
      return late()
    }
    const token = await sessionOf(run)
    const search = searchIn(port, token)
    /** Open for a while: how long it takes to open is measured elsewhere. */
    const shown = async (place: string): Promise<void> => {
      await page.goto(`${run.link.split('#')[0]}/stream${place}`)
      await page.waitForTimeout(settledMs)
    }
    const watched = async (): Promise<number> => {
      await shown('?q=nowhere')
      return search(late)
    }
    const drawing = async (): Promise<number> => {
      await shown('')
      return late()
    }
    const p99 = await interleaved(rounds, alone, watched)
    const drawingP99 = await interleaved(5, alone, drawing)
    await page.goto('about:blank')
    const part = await interleaved(rounds, late, () => search(late))
    return [
      {
        id: 'dash P5 p99',
        what: 'P5 p99 with a page open and a search under way, against without',
        unit: 'ms',
        ...p99,
        goal: atMost(1.1),
      },
      {
        id: 'dash P5 drawing',
        what: 'P5 p99 with a page open that draws every event, against without',
        unit: 'ms',
        ...drawingP99,
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

const settledMs = 2_000
/** What 1 of 100 waits for differs by half from one time to the next. */
const rounds = 15
/** The disk decides how long it takes from one codon to the next, and differs by a third. */
const codonRounds = 11

async function sessionOf({ port, key }: StagedRun): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  })
  const { session } = (await answer.json()) as { readonly session?: string }
  if (session === undefined) throw new Error('no session')
  return session
}

/** Something while the run is searched again and again over its port, by who has a session and no browser. */
function searchIn(port: number, token: string) {
  const origin = `http://127.0.0.1:${port}`
  const headers = { authorization: `Bearer ${token}` }
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
  const result = await interleaved(codonRounds, () => realCodons(next()), searched)
  await readers.close()
  const what = 'P11 with a search under way in the same process, against without'
  return { id: 'dash P11', what, unit: 'ms', ...result, goal: atMost(1.1) }
}

function controlled() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
