import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { parseClientMessage } from '@weave/protocol'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { connect } from '../src/client.ts'
import { socketConnect } from '../src/transport.ts'
import type { WeaveClient } from '../src/weave-client.ts'
import { readyData, sampleEvent } from './event-samples.ts'

const undo: (() => void)[] = []
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step()
})

/** A real server on a free port that greets, answers pings and can be told to do more. */
async function realServer(onCommand: (socket: WebSocket, type: string) => void = () => {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  undo.push(() => server.close())
  server.on('connection', socket => {
    undo.push(() => socket.terminate())
    socket.addEventListener('message', ({ data }) => {
      const message = parseClientMessage(typeof data === 'string' ? data : '')
      if (message.kind === 'handshake') {
        socket.send(
          JSON.stringify({
            ...sampleEvent('info', { message: '' }),
            type: 'handshake.response',
            data: { clientId: 'c', mode: message.handshake.data.mode, totalEvents: 0 },
          }),
        )
        socket.send(JSON.stringify(sampleEvent('server.ready', readyData)))
      }
      if (message.kind !== 'command') return
      const { id: commandId, type } = message.command
      const pong = { message: 'pong', timestamp: '2026-01-01T00:00:00.000Z' } as const
      if (type === 'ping') socket.send(JSON.stringify(sampleEvent('pong', pong, { commandId })))
      else onCommand(socket, type)
    })
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `ws://127.0.0.1:${port}`, server }
}

function opened(url: string): WeaveClient {
  const client = connect(url, { mode: 'readandwrite', socket: WebSocket, reconnect: { baseDelayMs: 1 } })
  undo.push(() => client.close())
  return client
}

function until(client: WeaveClient, state: string): Promise<unknown> {
  return new Promise(resolve => {
    client.onStatus(status => {
      if (status.state === state) resolve(status)
    })
  })
}

test('shakes hands, sends and receives over a real socket', async () => {
  const { url } = await realServer()
  const client = opened(url)
  expect(await client.opened).toEqual({
    ok: true,
    clientId: 'c',
    mode: 'readandwrite',
    totalEvents: 0,
    journalSeq: 0,
  })
  expect(await client.send('ping')).toMatchObject({ ok: true, event: { data: { message: 'pong' } } })
})

test('comes back after a connection that broke without a close frame', async () => {
  const { url } = await realServer(socket => socket.terminate())
  const client = opened(url)
  await client.opened
  const back = until(client, 'open')
  expect(await client.send('codon.next')).toMatchObject({ ok: false, code: 'CONNECTION_LOST' })
  await back
  expect(await client.send('ping')).toMatchObject({ ok: true })
})

test('a binary frame is malformed, a close code and its reason arrive', async () => {
  const { url } = await realServer(socket => {
    socket.send(Buffer.from('{}'))
    socket.close(1008, 'not you')
  })
  const problems: string[] = []
  const client = connect(url, {
    mode: 'readonly',
    socket: WebSocket,
    onMalformed: problem => problems.push(problem),
  })
  await client.opened
  const closed = until(client, 'closed')
  void client.send('codon.next')
  expect(await closed).toEqual({ state: 'closed', code: 1008, reason: 'not you' })
  expect(problems).toHaveLength(1)
})

test('an address that nobody listens on and one that is none are values, not exceptions', async () => {
  const { url, server } = await realServer()
  server.close()
  await once(server, 'close')
  expect(await socketConnect(url, WebSocket)()).toEqual({
    ok: false,
    reason: expect.stringContaining('ECONNREFUSED'),
  })
  expect(await socketConnect('not an address', WebSocket)()).toMatchObject({ ok: false })
})

test('codes that a browser would refuse are not used for closing', async () => {
  const codes: (number | undefined)[] = []
  class Recorder extends EventTarget {
    readonly readyState = 1
    send(): void {}
    close(code?: number): void {
      codes.push(code)
    }
  }
  const sockets: Recorder[] = []
  const connecting = socketConnect(
    'ws://x',
    class extends Recorder {
      constructor(_url: string) {
        super()
        sockets.push(this)
      }
    } as never,
  )()
  sockets[0]?.dispatchEvent(new Event('open'))
  const connected = await connecting
  for (const code of [1000, 1006, 1001, 4801]) if (connected.ok) connected.transport.close(code)
  expect(codes).toEqual([1000, 1000, 1000, 4801])
})
