import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { rawConnect, rawUpgrade } from '../../../../test/support/raw-websocket.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { type ServerOptions, startServer } from '../../src/server/index.ts'
import { openTestJournal } from '../journal/open.ts'
import { createFakeControl } from './fake-control.ts'
import { readyData, startTestServer } from './test-server.ts'

const hasSix = Object.values(networkInterfaces()).some(list => list?.some(each => each.address === '::1'))
const outside = Object.values(networkInterfaces())
  .flat()
  .find(each => each?.family === 'IPv4' && !each.internal)?.address

async function start(options: Partial<ServerOptions>) {
  const journal = await openTestJournal(await tempDir({ inMemory: true }))
  const started = await startServer({
    port: 0,
    readonlyOnly: false,
    idleTimeoutSeconds: 0,
    allowOtherUsers: false,
    control: createFakeControl(),
    ready: () => readyData,
    clock: systemClock,
    redactor: createRedactor([]),
    journal,
    ...options,
  })
  onTestFinished(async () => {
    if (started.ok) await started.server.close('done')
    if (!journal.failure) await journal.close()
  })
  return started
}

/** Takes a port away from the server. */
async function occupy(host: string, port = 0): Promise<number> {
  const other = createServer().listen(port, host)
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  return (other.address() as { readonly port: number }).port
}

verifies(
  ['d12/listen-loopback'],
  'it listens on both loopback addresses, on one port, and on nothing else',
  async () => {
    const { port } = await startTestServer()
    await rawConnect({ port }).then(raw => raw.socket.destroy())
    if (hasSix) await rawConnect({ port, address: '::1' }).then(raw => raw.socket.destroy())
    await expect(rawConnect({ port, address: '127.0.0.2' })).rejects.toThrow(/ECONNREFUSED/)
    if (outside !== undefined)
      await expect(rawConnect({ port, address: outside })).rejects.toThrow(/ECONNREFUSED/)
  },
)

verifies(
  ['2.8/port-zero', '2.8/port-fixed'],
  'port 0 is chosen by the system; another is taken',
  async () => {
    const first = await start({ port: 0 })
    if (!first.ok) throw new Error(first.message)
    const { port } = first.server
    expect(port).toBeGreaterThan(1_023)
    await first.server.close('to free the port')
    const second = await start({ port })
    expect(second.ok && second.server.port).toBe(port)
  },
)

describe('a port that cannot be had', () => {
  test.each(hasSix ? ['127.0.0.1', '::1'] : ['127.0.0.1'])(
    'in use on %s: says so and what to do',
    async host => {
      const port = await occupy(host)
      const result = await start({ port })
      expect(result).toEqual({
        ok: false,
        message: `The server cannot listen on port ${port}: another program does.`,
        cure: expect.stringContaining('--port 0'),
      })
      // What was opened on the other address is closed again.
      await occupy(host === '::1' ? '127.0.0.1' : '::1', port)
    },
  )

  test('an address that this machine does not have', async () => {
    const result = await start({ host: '192.0.2.1', token: 'a-token-for-others' })
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining('EADDRNOTAVAIL') })
  })
})

verifies(['d12/host-needs-token'], 'an address beyond loopback needs a token', async () => {
  const result = await start({ host: '0.0.0.0' })
  expect(result).toMatchObject({ ok: false, cure: expect.stringContaining('--token') })
})

test('with a token it listens where it was told, and on loopback', async () => {
  if (outside === undefined) return
  for (const host of [outside, '0.0.0.0']) {
    const result = await start({ host, token: 'a-token-for-others' })
    if (!result.ok) throw new Error(result.message)
    const { port } = result.server
    for (const address of [outside, '127.0.0.1', ...(hasSix ? ['::1'] : [])]) {
      const name = address.includes(':') ? `[${address}]` : address
      const answer = await rawUpgrade({ port, address, headers: [['Host', `${name}:${port}`]] })
      expect(answer.status).toBe(101)
      answer.websocket?.socket.destroy()
    }
  }
})

verifies(
  ['d12/host-warns', '7.1/severity-warning'],
  'who listens beyond loopback is warned, in the journal; who does not is not',
  async () => {
    const told: unknown[] = []
    const journal = await openTestJournal(await tempDir({ inMemory: true }))
    onTestFinished(() => journal.close())
    journal.subscribe(({ event }) => void told.push(event))
    expect((await start({ journal })).ok).toBe(true)
    journal.flush()
    expect(told).toEqual([])
    expect((await start({ journal, host: '0.0.0.0', token: 'a-token-for-others' })).ok).toBe(true)
    journal.flush()
    expect(told).toEqual([
      expect.objectContaining({
        type: 'error',
        data: { message: expect.stringContaining('0.0.0.0'), fatal: false, severity: 'warning' },
      }),
    ])
  },
)

test('a journal that cannot be written starts no server', async () => {
  const journal = await openTestJournal(await tempDir({ inMemory: true }))
  await journal.close()
  expect(await start({ journal })).toMatchObject({ ok: false, message: expect.stringContaining('journal') })
})
