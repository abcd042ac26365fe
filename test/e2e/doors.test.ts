import { chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { canBeOthers, otherUser, runAs, serverUser, startAs } from '../support/other-user.ts'
import { isProof, tally } from '../support/proof.ts'
import { launcher } from '../support/run-cli.ts'
import { steer } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'

const attempts = isProof ? 100 : 25

const hank = {
  $schema: 'x',
  hank: [
    {
      id: 'only',
      name: 'Only',
      model: 'sonnet',
      continuationMode: 'fresh',
      promptText: 'Work.',
      checkpointedFiles: ['**'],
    },
  ],
}

/** What a provider on loopback was asked. */
async function upstream() {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    response.end('from the upstream')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The built command with its proxy, as a user of its own who is not root, with a client that listens. */
async function serving(...words: readonly string[]) {
  const { asked, url } = await upstream()
  const cwd = await tempDir()
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify(hank))
  for (const path of [cwd, join(cwd, 'hank.json')]) chownSync(path, serverUser, serverUser)
  const all = [
    ...['--headless', '--port', '0', '--no-autostart', '--keep-alive', '--skip-self-test'],
    ...['--proxy', '--vendor-base-url', url, ...words],
  ]
  const env = { HOME: join(cwd, 'home'), ANTHROPIC_API_KEY: 'a-key-for-nobody' }
  const child = startAs(serverUser, [process.execPath, launcher, ...all], { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += String(chunk)
        if (said.includes('Clients ')) resolve()
      })
    child.once('close', () => reject(new Error(said)))
  })
  const base = join(cwd, 'home/.weave-executions')
  const execution = join(base, readdirSync(base)[0] ?? '')
  const lock = JSON.parse(readFileSync(join(execution, '.weave/lock.json'), 'utf8')) as Ports
  return { asked, execution, ...lock }
}

interface Ports {
  readonly port: number
  readonly proxyPort: number
}

/** A verdict takes at most three looks, and each of these connections takes one: then all before them have theirs. */
const afterwards = [1, 2, 3, 4, 5]

/** Sends everything in one write and is gone: nobody is at the other end when its user is looked up. */
const blind = `
  const net = require('node:net')
  const [port, times, isControl] = process.argv.slice(1).map(Number)
  const head = 'HTTP/1.1\\r\\nHost: 127.0.0.1:' + port + '\\r\\n'
  const frame = (code, text) => Buffer.concat([Buffer.from([0x80 | code, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
  const upgrade = Buffer.concat([
    Buffer.from('GET / ' + head + 'Connection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n'),
    frame(1, '{"id":"h","type":"handshake","data":{"mode":"readandwrite"}}'),
    frame(1, '{"id":"x","type":"ping.broadcast"}'),
    // So much to read that the end of the connection is not seen before the commands.
    ...Array.from({ length: 1000 }, () => frame(10, 'x'.repeat(100))),
  ])
  const request = Buffer.from('POST /v1/messages ' + head + 'Content-Length: 2\\r\\n\\r\\n{}')
  const once = () => new Promise(resolve => {
    // These keep the look-up busy for a moment.
    for (let n = 0; n < 4; n++) net.connect(port, '127.0.0.1').on('error', () => {}).write('GET / ' + head + '\\r\\n')
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write(isControl ? upgrade : request, () => {
        socket.destroy()
        setTimeout(resolve, 20)
      }))
    socket.on('error', () => {})
  })
  ;(async () => {
    for (let n = 0; n < times; n++) await once()
    process.exit()
  })()`

/** Asks once and prints the status. */
const asking = `
  const [port, path, localAddress] = process.argv.slice(1)
  const socket = require('node:net').connect({ port: Number(port), host: '127.0.0.1', ...(localAddress && { localAddress }) })
  socket.on('error', error => { console.log(error.code); process.exit() })
  socket.write('GET ' + path + ' HTTP/1.1\\r\\nHost: 127.0.0.1:' + port + '\\r\\n\\r\\n')
  socket.once('data', data => { console.log(String(data).split(' ')[1]); process.exit() })`

const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find(address => address?.family === 'IPv4' && !address.internal)?.address

describe.runIf(canBeOthers)('another user of the machine', () => {
  verifies(
    ['attack/closed-peer-is-nobody'],
    'gets in at neither port by closing before its user is looked up',
    async () => {
      const { asked, execution, port, proxyPort } = await serving()
      const { events, client } = await steer(execution)
      const heard = (): number => events.filter(({ type }) => type === 'pong').length
      await runAs(otherUser, blind, String(port), String(attempts), '1')
      for (const _ of afterwards) await steer(execution)
      await client.send('ping')
      expect(heard() - 1).toBe(0)
      await runAs(otherUser, blind, String(proxyPort), String(attempts), '0')
      for (const _ of afterwards) expect(await runAs(0, asking, String(proxyPort), '/v1/x')).toBe('200')
      expect(asked.map(({ method }) => method)).toEqual(afterwards.map(() => 'GET'))
      tally('blind attempts of another user', attempts * 2)
    },
    120_000,
  )

  verifies(
    ['attack/proxy-other-user'],
    'gets nothing from either port and nothing through the proxy; the own user does',
    async () => {
      const { asked, port, proxyPort } = await serving()
      for (const each of [port, proxyPort])
        for (const path of ['/', '/health', '/v1/messages'])
          expect(await runAs(otherUser, asking, String(each), path)).toBe('403')
      // Whoever has another address of this machine is still on this machine.
      if (ownAddress !== undefined)
        for (const each of [port, proxyPort])
          expect(await runAs(otherUser, asking, String(each), '/v1/x', ownAddress)).toBe('403')
      expect(asked).toHaveLength(0)
      expect(await runAs(serverUser, asking, String(proxyPort), '/v1/x')).toBe('200')
      expect(await runAs(0, asking, String(proxyPort), '/v1/x')).toBe('200')
      expect(asked).toHaveLength(2)
      expect(await runAs(serverUser, asking, String(port), '/')).toBe('426')
    },
    60_000,
  )

  verifies(
    ['attack/proxy-other-user'],
    'is let in at both ports by --allow-other-users',
    async () => {
      const { asked, port, proxyPort } = await serving('--allow-other-users')
      expect(await runAs(otherUser, asking, String(port), '/')).toBe('426')
      expect(await runAs(otherUser, asking, String(proxyPort), '/v1/x')).toBe('200')
      expect(asked).toHaveLength(1)
    },
    60_000,
  )
})
