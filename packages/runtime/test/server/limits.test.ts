import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  clientFrame,
  closeFrame,
  opcode,
  rawConnect,
  rawUpgrade,
} from '../../../../test/support/raw-websocket.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createSemaphore } from '../../src/kit/queues.ts'
import { createRate } from '../../src/server/connection.ts'
import { limits } from '../../src/server/index.ts'
import { createGateway } from './fake-control.ts'
import { startTestServer, type TestClient } from './test-server.ts'

test('the limits are those of the design', () => {
  expect(limits).toEqual({
    handshakeMs: 10_000,
    farewellMs: 30_000,
    strangerFarewellMs: 1_000,
    strangers: 64,
    clients: 1_024,
    messageBytes: 1_048_576,
    fragments: 256,
    messagesPerSecond: 200,
    unanswered: 1_000,
    queueBytes: 8_388_608,
    historyEvents: 1_000,
    historyBytes: 4_194_304,
    batchEvents: 500,
    batchBytes: 1_048_576,
    pingMs: 30_000,
    closeMs: 2_000,
  })
})

describe('messages', () => {
  const padded = (bytes: number): string => {
    const command = { id: 'big', type: 'codon.forceStop', data: { reason: '' } }
    return JSON.stringify({
      ...command,
      data: { reason: 'x'.repeat(bytes - JSON.stringify(command).length) },
    })
  }

  verifies(
    ['d5/frame-limit', 'd5/error-message-too-large'],
    'one of 1 MiB is taken; one byte more says so and closes with 1009',
    async () => {
      const { client, control } = await startTestServer()
      const one = await client()
      one.raw.sendText(padded(1_048_576))
      one.command('ping')
      await one.next('pong')
      expect(control.submitted.map(command => command.id)).toEqual(['big'])
      one.raw.sendText(padded(1_048_577))
      expect(await one.next('error')).toMatchObject({
        data: {
          code: 'MESSAGE_TOO_LARGE',
          severity: 'operation',
          message: expect.stringContaining('1048576'),
        },
      })
      expect((await one.ended).code).toBe(1009)
      expect(one.raw.frames.at(-1)?.opcode).toBe(opcode.close)
      expect(control.submitted).toHaveLength(1)
    },
  )

  test('one that is too large before the handshake is told the same', async () => {
    const { stranger } = await startTestServer()
    const one = await stranger()
    one.raw.sendText(padded(1_048_577))
    expect((await one.next('error')).data['code']).toBe('MESSAGE_TOO_LARGE')
    expect((await one.ended).code).toBe(1009)
  })

  test('one that only claims to be too large is closed before it comes', async () => {
    const { client } = await startTestServer()
    for (const length of [1_048_577, 2 ** 32, 2 ** 52, 2 ** 53]) {
      const one = await client()
      one.raw.write(clientFrame('', { length, lengthBytes: 8 }))
      expect((await one.ended).code).toBe(1009)
    }
  })

  test('the parts of one count together', async () => {
    const { client } = await startTestServer()
    const one = await client()
    const part = 'x'.repeat(300_000)
    one.raw.write(clientFrame(part, { fin: false }))
    for (let n = 0; n < 3; n++) one.raw.write(clientFrame(part, { fin: false, opcode: opcode.continuation }))
    expect((await one.ended).code).toBe(1009)
  })

  test('256 parts are taken; one more closes with 1008', async () => {
    const { client } = await startTestServer()
    const inParts = (text: string, parts: number): Buffer =>
      Buffer.concat(
        Array.from({ length: parts }, (_, at) =>
          clientFrame(at < parts - 1 ? (text[at] ?? '') : text.slice(at), {
            fin: at === parts - 1,
            opcode: at === 0 ? opcode.text : opcode.continuation,
          }),
        ),
      )
    const one = await client()
    one.raw.write(inParts('{"id":"parts","type":"ping"}', 256))
    expect((await one.next('pong')).commandId).toBe('parts')
    one.raw.write(inParts('{"id":"parts","type":"ping"}', 257))
    expect((await one.ended).code).toBe(1008)
  })

  test('200 in a moment are answered; more closes with 1008; slower ones go on for ever', async () => {
    const clock = createTestClock()
    const { client } = await startTestServer({ clock })
    const steady = await client()
    for (let second = 0; second < 3; second++) {
      for (let n = 0; n < 190; n++) steady.command('ping', undefined, `${second}-${n}`)
      await steady.next(message => message.commandId === `${second}-189`)
      await clock.advance(1_000)
    }
    const hasty = await client()
    for (let n = 0; n < 250; n++) hasty.command('ping', undefined, `p${n}`)
    expect(await hasty.ended).toMatchObject({ code: 1008, reason: expect.stringContaining('200') })
    // The handshake was the first of the two hundred.
    expect(hasty.messages().filter(message => message.type === 'pong').length).toBeLessThanOrEqual(199)
    steady.command('ping', undefined, 'still')
    await steady.next(message => message.commandId === 'still')
  })

  verifies(
    ['d14/frame-rate'],
    'frames of any kind beyond 200 in a second close with 1008; pings are answered up to there',
    async () => {
      const { client } = await startTestServer({ clock: createTestClock() })
      for (const kind of ['ping', 'pong', 'text'] as const) {
        const frames = (count: number): Buffer =>
          Buffer.concat(Array.from({ length: count }, () => clientFrame('hi', { opcode: opcode[kind] })))
        const modest = await client()
        modest.raw.write(frames(198))
        modest.command('ping')
        await modest.next('pong')
        const hasty = await client()
        hasty.raw.write(frames(5_000))
        expect((await hasty.ended).code, kind).toBe(1008)
        const pongs = hasty.raw.frames.filter(frame => frame.opcode === opcode.pong)
        expect(pongs.length).toBeLessThanOrEqual(kind === 'ping' ? 200 : 0)
        expect(pongs.every(pong => pong.payload.toString() === 'hi')).toBe(true)
      }
    },
  )

  test('commands that nobody answers are not gathered without end', async () => {
    const { client, control } = await startTestServer({ limits: { unanswered: 20 } })
    const never = createGateway<never>()
    control.answer = () => never.promise
    const one = await client()
    for (let n = 0; n < 25; n++) one.command('codon.next', undefined, `${n}`)
    expect((await one.ended).code).toBe(1008)
    expect(control.submitted).toHaveLength(20)
  })
})

describe('connections', () => {
  test('only so many wait for their handshake; further ones come in as those go', async () => {
    const { port, server, stranger } = await startTestServer({ limits: { strangers: 3, clients: 5 } })
    const first = await Promise.all([stranger(), stranger(), stranger()])
    let isIn = false
    const late = rawConnect({ port }).then(raw => {
      isIn = true
      return raw
    })
    first[0]?.command('ping')
    await first[0]?.next('error')
    expect(isIn).toBe(false)
    first[1]?.send({ type: 'handshake', data: { mode: 'readonly' } })
    await first[1]?.next('server.ready')
    await late
    expect(isIn).toBe(true)
    expect(server.clients()).toBe(1)
    const later = rawConnect({ port })
    first[0]?.raw.socket.destroy()
    ;(await later).socket.destroy()
    ;(await late).socket.destroy()
  })

  verifies(
    ['attack/silent-strangers'],
    'silent ones give their places back when they are told to go, and are cut soon after',
    async () => {
      const { port, client, stranger } = await startTestServer({
        limits: { strangers: 4, handshakeMs: 200, strangerFarewellMs: 300 },
      })
      const ways: readonly ((one: TestClient) => void)[] = [
        () => undefined,
        one => one.raw.write(closeFrame(1000)),
        one => one.raw.write(clientFrame('x', { masked: false })),
        one => one.raw.write(Buffer.concat(Array.from({ length: 300 }, () => clientFrame('{}')))),
      ]
      for (const way of ways) {
        // They neither answer a closing frame nor close.
        const silent = await Promise.all(Array.from({ length: 4 }, () => stranger()))
        for (const one of silent) way(one)
        const began = performance.now()
        const ended = Promise.all(silent.map(one => once(one.raw.socket, 'close')))
        await client()
        expect(performance.now() - began).toBeLessThan(10_000)
        await ended
        expect(performance.now() - began).toBeLessThan(20_000)
      }
      expect((await rawUpgrade({ port })).status).toBe(101)
    },
  )

  test('when too many wait already, the next is told to try later', async () => {
    const { port, stranger } = await startTestServer({ limits: { strangers: 1, clients: 1 } })
    await stranger()
    const waiting = rawUpgrade({ port }).catch(() => undefined)
    const answers = await Promise.race([waiting, rawUpgrade({ port })])
    expect(answers?.status).toBe(503)
  })

  test('one client too many is closed with 1013; when one goes there is room again', async () => {
    const { client, server, stranger } = await startTestServer({ limits: { clients: 2 } })
    const first = await client()
    await client()
    const third = await stranger()
    third.send({ type: 'handshake', data: { mode: 'readonly' } })
    expect((await third.ended).code).toBe(1013)
    first.raw.socket.destroy()
    while (server.clients() > 1) await new Promise(resolve => setImmediate(resolve))
    await client()
  })
})

describe('rate', () => {
  test('never lets more through than a burst and what time has brought', () => {
    let now = 0
    const rate = createRate(10, () => now)
    const burst = () => Array.from({ length: 30 }, () => rate.take()).filter(Boolean).length
    expect(burst()).toBe(10)
    now += 500
    expect(burst()).toBe(5)
    now += 60_000
    expect(burst()).toBe(10)
  })
})

describe('semaphore', () => {
  test('are given in order, and one that is given back twice counts once', async () => {
    const semaphore = createSemaphore({ permits: 1, waiting: 2 })
    const order: number[] = []
    const first = await semaphore.acquire()
    const rest = [1, 2].map(async n => {
      const release = await semaphore.acquire()
      order.push(n)
      release?.()
      release?.()
    })
    expect(await semaphore.acquire()).toBeUndefined()
    first?.()
    first?.()
    await Promise.all(rest)
    expect(order).toEqual([1, 2])
    const again = await semaphore.acquire()
    let isWaiting = true
    const other = semaphore.acquire().then(release => {
      isWaiting = false
      return release
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(isWaiting).toBe(true)
    again?.()
    expect(await other).toBeDefined()
  })
})
