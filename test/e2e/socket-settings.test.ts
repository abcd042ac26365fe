import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { connect, type WeaveClient } from '../../packages/client/src/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { rawConnect } from '../support/raw-websocket.ts'
import { steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const place = (settings: object) =>
  hankFolder([codon('a', { promptText: 'Work on a. Then hang.' })], { 'weave.json': settings })

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** An address of this machine that others could reach. */
const outside = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

function knock(host: string, port: number, token?: string): WeaveClient {
  const client = connect(`ws://${host}:${port}`, {
    mode: 'readandwrite',
    socket: WebSocket,
    reconnect: false,
    ...(token !== undefined && { token }),
  })
  onTestFinished(() => client.close())
  return client
}

describe('weave.json', () => {
  verifies(
    ['2.8/port-fixed', '2.8/autostart-false', '2.8/idle-timeout-closes', 'd5/config-readonly-only'],
    'sets the port, who may steer, whether a client sets it going, and how long a silent one may stay',
    async () => {
      const port = await freePort()
      const settings = { port, readonlyOnly: true, autostart: false, idleTimeout: 1 }
      const run = await (await place(settings)).serve('--keep-alive')
      expect(run.port).toBe(port)
      expect(run.said()).toContain(`ws://localhost:${port}`)
      const { client, events } = await steer(run.dir)
      expect(client.mode).toBe('readonly')
      expect(await client.send('codon.next')).toMatchObject({ ok: false, code: 'INSUFFICIENT_PERMISSIONS' })
      const closed = new Promise(resolve => {
        client.onStatus(status => {
          if (status.state === 'closed') resolve(status)
        })
      })
      expect(await closed).toMatchObject({ code: 1001, reason: 'Idle.' })
      expect(events.map(({ type }) => type)).not.toContain('codon.started')
      expect(await run.kill('SIGTERM')).toBe(143)
    },
  )

  verifies(['2.8/port-zero'], 'is overruled by a flag', async () => {
    const port = await listenOnLoopback(createServer())
    const run = await (await place({ port })).serve('--port', '0')
    expect(run.port).not.toBe(port)
    expect(run.port).toBeGreaterThan(0)
    await run.kill('SIGTERM')
  })
})

describe('an address beyond loopback', () => {
  verifies(['d12/host-needs-token'], 'is refused without a token, before anything has begun', async () => {
    const at = await place({})
    const { status, stdout, stderr } = await at.scripted('--host', '0.0.0.0')
    expect(status).toBe(1)
    expect(stderr).toContain('--token')
    expect(stdout).toBe('')
  })

  verifies(
    ['d12/host-warns', 'd12/token-handshake', 'd12/host-header'],
    'is warned of; whoever comes there, or over loopback, needs the token',
    async () => {
      const host = outside ?? '127.0.0.2'
      const token = 'a-word-for-friends'
      const run = await (await place({})).serve('--host', host, '--token', token)
      const { dir, port } = run
      await run.until(`warning: The server also listens on ${host}.`)
      for (const address of [host, '127.0.0.1'])
        expect(await knock(address, port, token).opened).toMatchObject({ ok: true, mode: 'readandwrite' })
      for (const wrong of [undefined, '', `${token}!`, token.slice(1)])
        expect(await knock(host, port, wrong).opened).toMatchObject({ ok: false })
      // By hand, to see both what is said and how it ends.
      const raw = await rawConnect({ port, address: host, headers: [['Host', `${host}:${port}`]] })
      raw.sendJson({ type: 'handshake', data: { mode: 'readonly', token: 'a-word-for-foes' } })
      expect(await raw.ended).toEqual({ code: 1008, reason: 'The token is missing or wrong.' })
      const said = raw.frames.map(({ payload }) => payload.toString('utf8'))
      expect(said[0]).toContain('"INSUFFICIENT_PERMISSIONS"')
      expect(said.join()).not.toContain('handshake.response')
      await expect(
        rawConnect({ port, address: host, headers: [['Host', `weave.example:${port}`]] }),
      ).rejects.toThrow('403')
      expect(run.said()).not.toContain(token)
      expect(statSync(join(dir, '.weave/lock.json')).mode & 0o077).toBe(0)
      expect(await run.kill('SIGTERM')).toBe(143)
    },
  )

  verifies(['d12/token-variable'], 'takes its token from WEAVE_TOKEN as well', async () => {
    const token = 'a-word-from-afar'
    const at = (await place({})).with({ WEAVE_TOKEN: token })
    const run = await at.serve('--host', '0.0.0.0')
    expect(await knock('127.0.0.1', run.port).opened).toMatchObject({ ok: false })
    expect(await knock('127.0.0.1', run.port, token).opened).toMatchObject({ ok: true })
    await run.kill('SIGTERM')
  })
})
