import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { createRedactor, systemClock } from '../../packages/runtime/src/kit/index.ts'
import { type RunningServer, startServer } from '../../packages/runtime/src/server/index.ts'
import { createFakeControl } from '../../packages/runtime/test/server/fake-control.ts'
import { quickJournal, readyData, startTestServer } from '../../packages/runtime/test/server/test-server.ts'
import { verifies } from '../conformance/verifies.ts'
import { sharedBrowser } from './chromium.ts'

const browser = sharedBrowser()

/** What the page does with the package: it listens from the first event on and keeps what it is told. */
const program = `
  import { connect } from '${fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url))}'
  const page = Object.assign(globalThis, { seqs: [], losses: [] })
  const client = page.client = connect('ws://' + location.host, {
    mode: 'readandwrite',
    since: 0,
    socket: WebSocket,
    reconnect: { baseDelayMs: 5, maxDelayMs: 50 },
  })
  client.onAny(event => { if ('seq' in event) page.seqs.push(event.seq) })
  client.onStatus(status => { if (status.state === 'reconnecting') page.losses.push(status.reason) })
`

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['weave-source'],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

function serves(script: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  return ({ url }, response) => {
    const [type, body] =
      url === '/client.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><script type="module" src="/client.js"></script>']
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
    return true
  }
}

/** Ends the open connections of a port the hard way, as a lost network does. */
function connectionCutter(port: number): () => number {
  const open = new Set<Socket>()
  const take = (message: unknown): void => {
    const socket: unknown = Reflect.get(Object(message), 'socket')
    if (!(socket instanceof Socket) || socket.localPort !== port) return
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  subscribe('net.server.socket', take)
  onTestFinished(() => void unsubscribe('net.server.socket', take))
  return () => {
    const count = open.size
    for (const socket of open) socket.destroy()
    return count
  }
}

async function openPage(port: number): Promise<Page> {
  const context = await (await browser()).newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`http://localhost:${port}/`)
  return page
}

const heard = (page: Page, last: number): Promise<unknown> =>
  page.waitForFunction(`globalThis.seqs?.at(-1) >= ${last}`, undefined, { timeout: 30_000 })

verifies(
  ['d5/reconnect-exactly-once'],
  'the typed client in a web page loses nothing and doubles nothing over lost connections and a new server',
  async () => {
    const http = serves(await bundled())
    const journal = await quickJournal()
    const { server, port } = await startTestServer({ journal, http })
    const cut = connectionCutter(port)
    const page = await openPage(port)
    const append = (count: number): void => {
      for (let n = 0; n < count; n++) journal.append('info', { message: `event ${journal.lastSeq + 1}` })
    }
    append(100)
    await heard(page, 100)
    for (let round = 1; round <= 6; round++) {
      append(150)
      if (round % 2 === 0) await heard(page, journal.lastSeq - 100)
      expect(cut()).toBeGreaterThan(0)
      append(150)
      await heard(page, journal.lastSeq)
    }
    await server.close('Back soon.', 1012)
    append(300)
    const again = await restart(port, { journal, http })
    onTestFinished(() => again.close('the test is over'))
    append(100)
    await heard(page, journal.lastSeq)

    expect(await page.evaluate('seqs')).toEqual(Array.from({ length: 2_300 }, (_, at) => at + 1))
    const losses = await page.evaluate<readonly string[]>('losses')
    expect(losses.length).toBeGreaterThanOrEqual(7)
    expect(losses).toContain('Back soon.')
    expect(await page.evaluate(`client.send('ping').then(answer => answer.ok)`)).toBe(true)
    expect(await page.evaluate('client.mode')).toBe('readandwrite')
  },
  60_000,
)

type Served = Pick<Parameters<typeof startServer>[0], 'journal' | 'http'>

/** Another server at the same address, with the same journal. */
async function restart(port: number, served: Served): Promise<RunningServer> {
  const started = await startServer({
    port,
    readonlyOnly: false,
    idleTimeoutSeconds: 0,
    allowOtherUsers: false,
    control: createFakeControl(),
    ready: () => readyData,
    clock: systemClock,
    redactor: createRedactor([]),
    ...served,
  })
  if (!started.ok) throw new Error(started.message)
  return started.server
}
