import { chownSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { canBeOthers, otherUser, runAs, serverUser, startAs } from '../support/other-user.ts'
import { isProof, tally } from '../support/proof.ts'
import { rawUpgrade } from '../support/raw-websocket.ts'
import { steer } from '../support/steering-client.ts'
import { launcher, scriptedWeave } from '../support/weave-command.ts'

const attempts = isProof ? 100 : 25

/** What a provider on loopback was asked. */
async function upstream() {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    response.end('from the upstream')
  })
  return { asked, url: `http://127.0.0.1:${await listenOnLoopback(server)}` }
}

interface Serving {
  /** Our own by default. */
  readonly user?: number
  /** In front of the command. */
  readonly before?: readonly string[]
  readonly words?: readonly string[]
  /** In place of the built command. */
  readonly program?: string
}

/** The built command with its proxy, in front of an upstream of ours. */
async function serving({
  user = process.getuid?.() ?? 0,
  before = [],
  words = [],
  program = launcher,
}: Serving = {}) {
  const { asked, url } = await upstream()
  const at = (await hankFolder([codon('only')])).with({ ANTHROPIC_API_KEY: 'a-key-for-nobody' })
  for (const path of [at.cwd, at.path('hank.json')]) chownSync(path, user, -1)
  const always = '--headless --port 0 --no-autostart --keep-alive --skip-self-test --proxy'.split(' ')
  const all = [...always, '--vendor-base-url', url, ...words]
  const child = startAs(user, [...before, process.execPath, program, ...all], at)
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
  const execution = at.execution()
  const lock = JSON.parse(readFileSync(join(execution, '.weave/lock.json'), 'utf8')) as Ports
  return { asked, execution, ...lock, said: () => said }
}

interface Ports {
  readonly pid: number
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
      const { asked, execution, port, proxyPort } = await serving({ user: serverUser })
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
      const { asked, port, proxyPort } = await serving({ user: serverUser })
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
      const { asked, port, proxyPort } = await serving({ user: serverUser, words: ['--allow-other-users'] })
      expect(await runAs(otherUser, asking, String(port), '/')).toBe('426')
      expect(await runAs(otherUser, asking, String(proxyPort), '/v1/x')).toBe('200')
      expect(asked).toHaveLength(1)
    },
    60_000,
  )
})

/** Opens so many connections to each port and holds them. Says when each was closed, or stayed open for long enough. */
const flood = `
  const net = require('node:net')
  const [count, longEnough, ...ports] = process.argv.slice(1).map(Number)
  let open = 0, over = 0
  const tell = () => { if (open + over === count * ports.length) console.log('settled', open) }
  const hold = port => new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1', () => {
      const patience = setTimeout(() => { open++; tell() }, longEnough)
      socket.resume().on('close', () => { clearTimeout(patience); over++; tell() })
      resolve()
    })
    socket.on('error', () => {})
  })
  // No more at once than a listener takes: the rest would try again a second later.
  for (const port of ports)
    void (async () => { for (let n = 0; n < count; n += 100) await Promise.all(Array.from({ length: 100 }, () => hold(port))) })()
  setInterval(() => {}, 1000)`

describe.runIf(canBeOthers)('connections without end', () => {
  verifies(
    ['attack/descriptors-reserved'],
    'of another user or of the own one leave the run the descriptors that it needs',
    async () => {
      const program = await scriptedWeave()
      for (const user of [otherUser, 0]) {
        const { execution, port, proxyPort, said } = await serving({
          before: ['prlimit', '--nofile=1024:1024'],
          program,
        })
        const { client, until } = await steer(execution)
        // Of another user not one may stay, however long one waits.
        const longEnough = user === otherUser ? 100_000 : 3_000
        const numbers = [1_100, longEnough, port, proxyPort].map(String)
        const flooding = startAs(user, [process.execPath, '-e', flood, ...numbers])
        onTestFinished(() => void flooding.kill('SIGKILL'))
        let told = ''
        flooding.stdout.on('data', (chunk: Buffer) => {
          told += String(chunk)
        })
        while (!told.includes('settled')) await new Promise(resolve => setTimeout(resolve, 20))
        const held = Number(/settled (\d+)/.exec(told)?.[1])
        if (user === otherUser) expect(held).toBe(0)
        else expect(held).toBeLessThanOrEqual(1024 - 256)
        expect(await client.send('codon.next')).toMatchObject({ ok: true })
        const { data } = await until('codon.completed')
        expect(data, said()).toMatchObject({ success: true })
        await until('server.idle', 0, event => event.data.reason === 'all-codons-completed')
        flooding.kill('SIGKILL')
      }
    },
    120_000,
  )
})

verifies(
  ['attack/silent-strangers'],
  '64 silent WebSockets keep a new client out for no longer than a handshake may take',
  async () => {
    const { execution, port } = await serving()
    const silent = await Promise.all(Array.from({ length: 64 }, () => rawUpgrade({ port })))
    onTestFinished(() => {
      for (const { websocket } of silent) websocket?.socket.destroy()
    })
    expect(silent.every(({ status }) => status === 101)).toBe(true)
    // 10 s for the handshake; it was 40 s with the time that a silent peer has to say goodbye. A client gives up after 10 s too, and the one
    // that comes first is chance: it asks again, as clients do.
    await vi.waitFor(() => steer(execution), { timeout: 25_000 })
  },
  60_000,
)

verifies(
  ['attack/proxy-limits'],
  'bodies that never end cost the proxy little, however many there are',
  async () => {
    const { pid, proxyPort } = await serving()
    const callers = isProof ? 30 : 8
    const mebibyte = 1024 * 1024
    const memory = (): number =>
      (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024) / mebibyte
    const before = memory()
    const piece = Buffer.alloc(mebibyte, 'a')
    await Promise.all(
      Array.from({ length: callers }, async () => {
        const socket = connect(proxyPort, '127.0.0.1')
        onTestFinished(() => void socket.destroy())
        socket.write(
          `POST /v1/messages HTTP/1.1\r\nHost: localhost:${proxyPort}\r\nContent-Length: ${32 * mebibyte}\r\n\r\n`,
        )
        for (let sent = 0; sent < 31; sent++) await new Promise(resolve => socket.write(piece, resolve))
      }),
    )
    // 31 MiB of each were sent; what is held together is 64 MiB, and the rest of the growth is buffers in flight.
    expect(memory() - before).toBeLessThan(180)
    tally('bodies that never end', callers)
  },
  60_000,
)
