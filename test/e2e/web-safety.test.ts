import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { connect } from '../../packages/client/src/index.ts'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import { acquireLock } from '../../packages/runtime/src/workspace/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder } from '../support/hank-folder.ts'
import { canBeOthers, otherUser, runAs } from '../support/other-user.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { ask, type Hub, openHub, sessionOf } from '../support/web-hub.ts'

beforeAll(scriptedWeave, 120_000)

async function ended(): Promise<HankFolder> {
  const at = await hankFolder([codon('only')], {}, { inMemory: true })
  expect((await at.scripted('--headless')).status).toBe(0)
  return at
}

type Header = readonly [string, string]

/** What a browser may say of where a request comes from, and whether it is to be believed. */
const origins = [
  { headers: [], isGood: true },
  { headers: [['origin', 'http://HOST']], isGood: true },
  { headers: [['origin', 'http://127.0.0.1:1']], isGood: false },
  { headers: [['origin', 'https://evil.example']], isGood: false },
  { headers: [['origin', 'null']], isGood: false },
] as const satisfies readonly { readonly headers: readonly Header[]; readonly isGood: boolean }[]

const navigation = [
  ['sec-fetch-mode', 'navigate'],
  ['sec-fetch-dest', 'document'],
] as const

const sites = [
  { headers: [], isGood: true, isLink: false },
  { headers: [['sec-fetch-site', 'same-origin']], isGood: true, isLink: false },
  { headers: [['sec-fetch-site', 'same-site'], ...navigation], isGood: false, isLink: false },
  { headers: [['sec-fetch-site', 'cross-site'], ...navigation], isGood: false, isLink: true },
  {
    headers: [
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-mode', 'no-cors'],
      ['sec-fetch-dest', 'script'],
    ],
    isGood: false,
    isLink: false,
  },
] as const satisfies readonly {
  readonly headers: readonly Header[]
  readonly isGood: boolean
  readonly isLink: boolean
}[]

describe('the doorkeeper of the hub', () => {
  verifies(
    ['web/doorkeeper', 'web/headers', 'web/nobody-else'],
    'judges every combination of Host, Origin and Sec-Fetch as the contract says, for the API and for the page',
    async () => {
      const at = await ended()
      const hub = await openHub(at, '--allow-host', 'tunnel.example')
      const hosts = [
        { host: `127.0.0.1:${hub.port}`, isGood: true },
        { host: `localhost:${hub.port}`, isGood: true },
        { host: 'tunnel.example', isGood: true },
        { host: 'evil.example', isGood: false },
        { host: `127.0.0.1:${hub.port + 1}`, isGood: false },
      ]
      let tried = 0
      for (const { host, isGood: isOurs } of hosts)
        for (const origin of origins)
          for (const site of sites) {
            const named = origin.headers.map(([name, value]) => [name, value.replace('HOST', host)] as const)
            const headers: readonly Header[] = [['host', host], ...named, ...site.headers]
            const isGood = isOurs && origin.isGood
            const api = await ask(hub.port, '/api/executions', { headers, session: hub.session })
            expect([headers, api.status]).toEqual([headers, isGood && site.isGood ? 200 : 403])
            if (api.status === 403) expect(api.text).toBe('')
            const page = await ask(hub.port, '/', { headers })
            expect([headers, page.status]).toEqual([
              headers,
              isGood && (site.isGood || site.isLink) ? 200 : 403,
            ])
            expect(page.headers['set-cookie']).toBeUndefined()
            tried += 2
          }
      expect(tried).toBeGreaterThanOrEqual(60)
      const link: readonly Header[] = [
        ['host', `127.0.0.1:${hub.port}`],
        ['sec-fetch-site', 'cross-site'],
        ...navigation,
      ]
      const posted = await ask(hub.port, '/', { headers: link, method: 'POST' })
      expect(posted.status).toBe(403)
      const twice = await ask(hub.port, '/', { headers: [...link, ['host', 'evil.example']] })
      expect(twice.status).toBeGreaterThanOrEqual(400)
    },
    90_000,
  )

  verifies(
    ['web/headers', 'web/sessions', 'web/keys', 'web/nobody-else'],
    'has its headers on every answer and gives nothing without a session',
    async () => {
      const at = await ended()
      const name = basename(at.execution())
      const hub = await openHub(at)
      const paths = ['', '/events', '/find', '/spans', '/series?of=cost', '/checkpoints', '/diff', '/file']
      const closed = [
        '/api/executions',
        `/api/compare?a=${name}&b=${name}`,
        ...[...paths, '/preview', '/costs', '/report', '/sentinels'].map(path => `/api/e/${name}${path}`),
      ]
      for (const path of closed)
        for (const session of [undefined, 'A'.repeat(43), hub.ownerKey]) {
          const answer = await ask(hub.port, path, session === undefined ? {} : { session })
          expect([path, answer.status, JSON.parse(answer.text)]).toMatchObject([
            path,
            401,
            { error: 'NO_SESSION' },
          ])
          expectHeaders(answer.headers, hub.port)
        }
      for (const path of ['/', `/e/${name}`, `/e/${name}/stream`, '/compare', '/nothing.js', '/api/hello']) {
        const answer = await ask(hub.port, path)
        expectHeaders(answer.headers, hub.port)
        expect(answer.text).not.toContain(at.executionsDir)
      }
      const stranger = await ask(hub.port, '/api/links', { method: 'POST', session: hub.session, body: {} })
      expect([stranger.status, JSON.parse(stranger.text)]).toMatchObject([403, { error: 'FORBIDDEN' }])
      const key = 'x'.repeat(43)
      const codes: number[] = []
      for (let turn = 0; turn < 11; turn++)
        codes.push((await ask(hub.port, '/api/session', { method: 'POST', body: { key } })).status)
      expect(codes).toEqual([...Array.from({ length: 9 }, () => 403), 429, 429])
    },
    60_000,
  )

  verifies(
    ['web/nobody-else'],
    'drops another user of the machine before a word is said',
    async context => {
      if (!canBeOthers) return context.skip()
      const at = await ended()
      const hub = await openHub(at)
      const program = `require('node:http').get({host:'127.0.0.1',port:process.argv[1],path:'/',headers:{authorization:'Bearer '+process.argv[2]}},r=>console.log(r.statusCode)).on('error',e=>console.log(e.code))`
      expect(await runAs(otherUser, program, String(hub.port), hub.session)).toBe('403')
      return undefined
    },
    60_000,
  )
})

function expectHeaders(headers: Readonly<Record<string, unknown>>, port: number): void {
  expect(headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port};`)
  expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types weave")
  expect(headers['set-cookie']).toBeUndefined()
}

/** A server of ours that holds an execution and counts who comes. */
async function countingServer(at: HankFolder) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  const came: string[] = []
  const said: string[] = []
  server.on('connection', ws => {
    came.push('connection')
    ws.on('message', (data: RawData) => said.push((data as Buffer).toString('utf8')))
  })
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const locked = await acquireLock({
    lockFile: at.execution('.weave/lock.json'),
    runId: 'run_x',
    clock: systemClock,
    port,
    token: 'the-token-of-the-run',
    onLost: () => undefined,
  })
  if (locked.kind !== 'acquired') throw new Error(locked.kind)
  onTestFinished(() => {
    locked.lock.release()
    server.close()
    for (const client of server.clients) client.terminate()
  })
  return { came, said, server }
}

function socketOf(hub: Hub, name: string): WebSocket {
  const ws = new WebSocket(`ws://127.0.0.1:${hub.port}/e/${encodeURIComponent(name)}/socket`)
  onTestFinished(() => ws.terminate())
  return ws
}

async function endOf(ws: WebSocket): Promise<number> {
  const [code]: readonly unknown[] = await once(ws, 'close')
  return Number(code)
}

const handshake = (token: string, mode = 'readandwrite') =>
  JSON.stringify({ id: 'one', type: 'handshake', data: { mode, token, extensions: ['weave', 'weave-web'] } })

describe('the bridge', () => {
  verifies(
    ['web/bridge', 'web/autostart', 'web/nobody-else'],
    'leaves a server alone until a page with a session has shaken hands, and speaks in its stead',
    async () => {
      const at = await ended()
      const name = basename(at.execution())
      const server = await countingServer(at)
      const hub = await openHub(at)
      const { executions } = await hub.read('executions', '/api/executions')
      expect(executions).toMatchObject([{ name, live: true, status: 'running' }])
      for (const path of ['', '/events', '/find', '/spans', '/checkpoints', '/diff?from=start', '/costs'])
        expect((await hub.get(`/api/e/${name}${path}`)).status).toBe(200)

      const silent = socketOf(hub, name)
      await once(silent, 'open')
      for (const first of [
        handshake('A'.repeat(43)),
        handshake(hub.ownerKey),
        '{"type":"codon.next"}',
        'nonsense',
      ]) {
        const ws = socketOf(hub, name)
        await once(ws, 'open')
        ws.send(first)
        expect(await endOf(ws)).toBe(1008)
      }
      const nowhere = socketOf(hub, 'no-such-execution')
      await once(nowhere, 'open')
      nowhere.send(handshake(hub.session))
      expect(await endOf(nowhere)).toBe(1013)
      expect(server.came).toEqual([])

      const page = socketOf(hub, name)
      await once(page, 'open')
      page.send(handshake(hub.session))
      page.send('{"type":"ping"}')
      await expect.poll(() => server.said.length).toBe(2)
      expect(server.came).toHaveLength(1)
      expect(JSON.parse(server.said[0] ?? '')).toEqual({
        id: 'one',
        type: 'handshake',
        data: { mode: 'readandwrite', token: 'the-token-of-the-run', extensions: ['weave', 'weave-web'] },
      })
      expect(server.said.join()).not.toContain(hub.session)
      const heard = once(page, 'message')
      for (const client of server.server.clients) client.send('{"type":"hello back"}')
      expect(String((await heard)[0])).toBe('{"type":"hello back"}')
      page.send('x'.repeat((1 << 20) + 1))
      expect(await endOf(page)).toBe(1009)
      await expect.poll(() => server.server.clients.size).toBe(0)
    },
    60_000,
  )

  verifies(
    ['web/bridge'],
    'lets the typed client of a page drive a real run, and only watch in a readonly hub',
    async () => {
      const at = await hankFolder([codon('only')])
      const run = await at.serve('--no-autostart', '--keep-alive', '--headless', '--token', 'own-token')
      const name = basename(run.dir)
      const hub = await openHub(at)
      const url = `ws://127.0.0.1:${hub.port}/e/${name}/socket`
      const client = connect(url, {
        mode: 'readandwrite',
        socket: WebSocket,
        token: hub.session,
        reconnect: false,
        extensions: ['weave', 'weave-web'],
      })
      onTestFinished(() => client.close())
      expect(await client.opened).toMatchObject({ ok: true, mode: 'readandwrite' })
      const done = new Promise(resolve => client.on('codon.completed', resolve))
      expect(await client.send('codon.next')).toMatchObject({ ok: true })
      await done
      await hub.run.kill('SIGINT')
      const watching = await openHub(at, '--readonly')
      const readonly = connect(`ws://127.0.0.1:${watching.port}/e/${name}/socket`, {
        mode: 'readandwrite',
        socket: WebSocket,
        token: await sessionOf(watching),
        reconnect: false,
      })
      onTestFinished(() => readonly.close())
      expect(await readonly.opened).toMatchObject({ ok: true, mode: 'readonly' })
    },
    60_000,
  )
})

describe('an agent’s own program', () => {
  verifies(
    ['web/nobody-else', 'web/no-trace'],
    'gets the empty page and nothing else, and cannot make links',
    async () => {
      const at = await ended()
      mkdirSync(join(at.cwd, 'x'))
      const hub = await openHub(at)
      const plain = connectTcp(hub.port, '127.0.0.1')
      await once(plain, 'connect')
      plain.write('GET http://evil.example/api/executions HTTP/1.1\r\nhost: evil.example\r\n\r\n')
      const [answer]: readonly unknown[] = await once(plain, 'data')
      expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /)
      plain.destroy()
      for (const [path, method] of [
        ['/api/links', 'POST'],
        ['/api/executions', 'GET'],
        ['/api/session', 'POST'],
      ] as const) {
        const { status, text } = await ask(hub.port, path, { method, ...(method === 'POST' && { body: {} }) })
        expect(status).toBeGreaterThanOrEqual(400)
        expect(text).not.toContain(basename(at.execution()))
      }
      expect(hub.run.said()).not.toContain('#key=')
    },
    60_000,
  )

  verifies(
    ['web/not-by-agents'],
    'gets no link though it has read the key of the owner, and no session with one that a person was given',
    async () => {
      const at = await ended()
      const hub = await openHub(at)
      const asAgent = at.with({ WEAVE_EXECUTION_ID: '/of/any/execution' })
      const link = at.weave('open', '--print')
      expect([link.status, link.stdout], link.stderr).toEqual([0, expect.stringContaining('#key=')])
      const refused = asAgent.weave('open', '--print')
      expect(refused.status).toBe(1)
      expect(refused.stdout + refused.stderr).toContain('An agent of a run may not get in here')
      expect(refused.stdout + refused.stderr).not.toContain('#key=')
      const [, key = ''] = /#key=(\S+)/.exec(link.stdout) ?? []
      const trade = `fetch('http://127.0.0.1:${hub.port}/api/session', { method: 'POST', body: JSON.stringify({ key: '${key}' }) })
        .then(answer => console.log(answer.status))`
      const traded = (env: Readonly<Record<string, string>>) =>
        spawnSync(process.execPath, ['-e', trade], { env, encoding: 'utf8' }).stdout.trim()
      expect(traded({ WEAVE_EXECUTION_ID: 'x' })).toBe('403')
      // It was not used up.
      expect(traded({})).toBe('200')
    },
    60_000,
  )
})
