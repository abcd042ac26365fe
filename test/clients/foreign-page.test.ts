import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { sharedBrowser } from './chromium.ts'

const browser = sharedBrowser()

beforeAll(scriptedWeave, 120_000)

/** A server on loopback that remembers who asked for what. */
async function listening(body: string): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.origin ?? ''}`)
    response.setHeader('content-type', 'text/html').setHeader('access-control-allow-origin', '*').end(body)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  return { port: (server.address() as AddressInfo).port, asked }
}

/** Runs in the page: every way in which a page reaches another port. Says what became of those that one can tell of. */
const reach = `async target => {
  const url = name => target + '/v1/' + name
  const settled = work => work.then(() => 'done', () => 'failed')
  const body = '{"model":"m","max_tokens":1,"messages":[]}'
  const add = (name, fields) => document.body.appendChild(Object.assign(document.createElement(name), fields))
  const loaded = (name, fields) =>
    new Promise(resolve => add(name, { ...fields, onload: resolve, onerror: resolve }))
  const read = async (name, init) => {
    if (!(await (await fetch(url(name), init)).text())) throw new Error('nothing to read')
  }
  const socket = new Promise((resolve, reject) =>
    Object.assign(new WebSocket(url('socket').replace('http', 'ws')), { onopen: resolve, onerror: reject }))
  const results = {
    cors: await settled(read('cors', { method: 'POST', body })),
    noCors: await settled(read('no-cors', { method: 'POST', body, mode: 'no-cors' })),
    preflight: await settled(
      read('preflight', { method: 'POST', body, headers: { 'content-type': 'application/json' } })),
    credentials: await settled(read('credentials', { mode: 'no-cors', credentials: 'include' })),
    socket: await settled(socket),
  }
  navigator.sendBeacon(url('beacon'), body)
  await loaded('img', { src: url('image') })
  await loaded('script', { src: url('script') })
  const frame = add('iframe', { name: 'hidden' })
  const posted = new Promise(resolve => { frame.onload = resolve })
  add('form', { method: 'post', action: url('form'), target: 'hidden', enctype: 'text/plain' }).submit()
  await posted
  add('a', { href: url('link'), textContent: 'a link' })
  return results
}`

verifies(
  ['attack/proxy-foreign-page', 'd14/proxy-gate'],
  'a page of another origin reads nothing from the proxy and sends nothing through it',
  async () => {
    const upstream = await listening('from the upstream')
    const page = await (await browser()).newPage()
    onTestFinished(() => page.close())
    const elsewhere = await listening('<!doctype html><title>elsewhere</title>')
    const to = `http://127.0.0.1:${upstream.port}`
    const words = ['--no-autostart', '--keep-alive', '--proxy', '--vendor-base-url', to]
    const { dir } = await (await hankFolder([codon('only')])).serve(...words)
    const lock = JSON.parse(readFileSync(join(dir, '.weave/lock.json'), 'utf8')) as { proxyPort: number }
    // Another port of the same host, and another host.
    for (const host of ['localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${elsewhere.port}/`)
      const results = await page.evaluate<unknown>(`(${reach})('http://localhost:${lock.proxyPort}')`)
      expect(results).toEqual({
        cors: 'failed',
        noCors: 'failed',
        preflight: 'failed',
        credentials: 'failed',
        socket: 'failed',
      })
      // Following a link is a request of that page too.
      const answered = page.waitForResponse(/link$/)
      await page.click('a')
      expect((await answered).status()).toBe(403)
    }
    // Whoever is no page gets through, and nobody got through before.
    const own = await fetch(`http://localhost:${lock.proxyPort}/v1/own`)
    expect(await own.text()).toBe('from the upstream')
    expect(upstream.asked).toEqual(['GET /v1/own '])
    const log = readFileSync(join(dir, '.weave/logs/server.log'), 'utf8')
    for (const because of ['sec-fetch-site', 'origin']) expect(log).toContain(`refused a request: ${because}`)
  },
  120_000,
)
