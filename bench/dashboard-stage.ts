import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createFollower } from '../packages/runtime/src/dashboard/follower.ts'
import { saidUpTo, writeStateCache } from '../packages/runtime/src/journal/index.ts'
import { listSegments, loadIndex } from '../packages/runtime/src/journal/segments.ts'
import { executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { writeLongJournal } from './long-journal.ts'

const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname

/** A hub of the built command over a directory of executions. */
export interface StagedHub {
  readonly pid: number
  readonly origin: string
  /** A link to a path; good once. */
  link(path: string): Promise<string>
  /** A session without a browser. */
  session(): Promise<string>
  close(): Promise<void>
}

export async function startHub(base: string, home: string): Promise<StagedHub> {
  mkdirSync(home, { recursive: true })
  const environment = { ...process.env, HOME: home, WEAVE_RUNTIME_TELEMETRY: 'false' }
  const words = [launcher, 'web', '--no-open', '--port', '0', '--base', base]
  const child = spawn(process.execPath, words, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  await said(child, 'It ends with')
  const record = JSON.parse(readFileSync(join(home, '.weave/web.json'), 'utf8')) as {
    readonly port: number
    readonly ownerKey: string
  }
  const origin = `http://127.0.0.1:${record.port}`
  const post = async (path: string, body: object, headers = {}): Promise<Record<string, string>> => {
    const type = { 'content-type': 'application/json' }
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { ...type, ...headers },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as Record<string, string>
  }
  const key = async (): Promise<string> => {
    const { url = '' } = await post('/api/links', {}, { authorization: `Bearer ${record.ownerKey}` })
    return url.split('#key=')[1] ?? ''
  }
  return {
    pid: child.pid ?? 0,
    origin,
    link: async path => `${origin}${path}#key=${await key()}`,
    session: async () => (await post('/api/session', { key: await key() }))['session'] ?? '',
    async close() {
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      await exit
    },
  }
}

async function said(child: ChildProcess, words: string): Promise<void> {
  let text = ''
  for await (const part of child.stderr ?? []) {
    text += String(part)
    if (text.includes(words)) break
  }
  child.stderr?.resume()
  if (!text.includes(words)) throw new Error(`the hub ended: ${text}`)
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    headless: true,
  })
}

/** A page of its own profile, with nothing kept from before. */
export async function newPage(browser: Browser): Promise<Page> {
  const page = await barePage(browser)
  await page.addInitScript(watchRows)
  // The tab is there before somebody opens the page in it: to start one takes a browser as long as to open it.
  await page.waitForTimeout(tabStartMs)
  return page
}

/** The same with nothing of ours in it: what looks for rows sixty times a second is a load itself. */
export async function barePage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  return context.newPage()
}

const tabStartMs = 1_000

/** Put into the page: notes when the first rows with a text are there. */
const watchRows = `
  globalThis.isFilled = () => {
    const rows = document.querySelectorAll('.stream-list .event')
    return rows.length > 10 && [...rows].every(row => row.dataset.kind !== 'pending')
  }
  const look = () => {
    if (globalThis.isFilled()) globalThis.filledAt ??= performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

/** The little that a folder needs to be an execution. */
export function writeExecutionFile(dir: string, hankName: string): void {
  const layout = executionLayout(dir)
  mkdirSync(layout.internals, { recursive: true })
  const time = '2026-01-01T00:00:00.000Z'
  writeFileSync(
    layout.executionFile,
    JSON.stringify({
      version: 1,
      hankPath: '/hanks/long',
      hankHash: 'hash',
      hankName,
      dataPath: null,
      dataHash: '',
      linkType: 'none',
      createdAt: time,
      lastUsed: time,
      weaveVersion: '0.0.0',
      node: process.version,
      platform: process.platform,
    }),
  )
}

/** An execution as a server leaves it. */
export async function writeEnded(dir: string, events: number): Promise<void> {
  writeExecutionFile(dir, 'Long')
  writeLongJournal(dir, events)
  const { journal, stateFile } = executionLayout(dir)
  for (const { path } of await listSegments(journal)) await loadIndex(path)
  const { state, lastSeq } = await createFollower(dir).look()
  writeStateCache(stateFile, { state, lastSeq, lastId: `evt_${lastSeq}`, said: saidUpTo(journal, lastSeq) })
}
