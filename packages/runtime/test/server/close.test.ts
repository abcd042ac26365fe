import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { closeFrame, opcode, rawUpgrade } from '../../../../test/support/raw-websocket.ts'
import { quickJournal, startTestServer } from './test-server.ts'

describe('closing', () => {
  test('tells what is queued, says goodbye with 1001 and the reason, and frees the port', async () => {
    const { client, journal, port, server, stranger } = await startTestServer({
      journal: await quickJournal(),
      limits: { closeMs: 30_000, handshakeMs: 1e9 },
    })
    const [one, other, silent] = [await client(), await client({ mode: 'readonly' }), await stranger()]
    // More than the system takes for one that does not read yet.
    other.raw.socket.pause()
    for (let n = 0; n < 70; n++) journal.append('info', { message: 'x'.repeat(100_000) })
    journal.append('run.completed', {
      runId: 'r',
      status: 'completed',
      totalCost: 0,
      duration: 0,
      codons: [],
    })
    const closed = server.close('the hank is done')
    other.raw.socket.resume()
    for (const each of [one, other, silent]) {
      expect(await each.ended).toEqual({ code: 1001, reason: 'the hank is done' })
      each.raw.socket.destroy()
    }
    await closed
    for (const each of [one, other])
      expect(each.messages().filter(message => message.type === 'info')).toHaveLength(70)
    expect(server.clients()).toBe(0)
    await expect(rawUpgrade({ port })).rejects.toThrow(/ECONNREFUSED/)
  })

  test('waits for those who say goodbye, and no longer', async () => {
    // Whoever is not waited for would be cut off, and its code would be 1006.
    const { server } = await startTestServer({ limits: { closeMs: 60_000 } })
    const socket = new WebSocket(server.url)
    await new Promise(resolve => socket.once('open', resolve))
    const ended = new Promise(resolve => socket.once('close', code => resolve(code)))
    await Promise.all([server.close('done'), server.close('twice')])
    expect(await ended).toBe(1001)
  })

  test('is done in bounded time with clients that neither read nor say goodbye', async () => {
    const limits = { closeMs: 150 }
    const { client, journal, server } = await startTestServer({ journal: await quickJournal(), limits })
    const deaf = await Promise.all([client(), client(), client()])
    for (const each of deaf) each.raw.socket.pause()
    for (let n = 0; n < 60; n++) journal.append('info', { message: 'x'.repeat(100_000) })
    await new Promise(resolve => setImmediate(resolve))
    const started = performance.now()
    await server.close('going', 1012)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(server.clients()).toBe(0)
  })

  test('takes another code, and cuts a reason that a closing frame has no room for', async () => {
    const { client, server } = await startTestServer()
    const one = await client()
    const closed = server.close('é'.repeat(100), 1012)
    const { code, reason } = await one.ended
    expect(code).toBe(1012)
    expect(reason).toMatch(/^é+…$/)
    one.raw.socket.destroy()
    await closed
  })

  test('turns away who comes meanwhile', async () => {
    const { client, port, server } = await startTestServer({ limits: { closeMs: 300 } })
    const one = await client()
    const waiting = rawUpgrade({ port }).catch(() => 'refused' as const)
    const closed = server.close('done')
    const answer = await waiting
    expect(answer === 'refused' || answer.status === 503 || answer.status === 101).toBe(true)
    if (answer !== 'refused' && answer.websocket) expect((await answer.websocket.ended).code).not.toBe(1005)
    one.raw.socket.destroy()
    await closed
  })
})

describe('a client that goes', () => {
  test('is answered with its own code, and gets nothing after that', async () => {
    const { client, journal, server } = await startTestServer()
    const one = await client()
    one.raw.write(closeFrame(1000, 'bye'))
    for (let n = 0; n < 10; n++) journal.append('info', { message: 'late' })
    expect(await one.ended).toEqual({ code: 1000, reason: 'bye' })
    const last = one.raw.frames.at(-1)
    expect(last?.opcode).toBe(opcode.close)
    while (server.clients() > 0) await new Promise(resolve => setImmediate(resolve))
  })

  test('in the middle of its history leaves nothing behind', async () => {
    const { client, journal, server } = await startTestServer({ journal: await quickJournal() })
    for (let n = 0; n < 2_000; n++) journal.append('info', { message: 'x'.repeat(2_000) })
    const leaving = await Promise.all([client(), client(), client(), client(), client(), client()])
    for (const each of leaving) {
      each.command('history.sync')
      each.raw.socket.pause()
    }
    await leaving[0]?.raw.until(() => true)
    for (const each of leaving) each.raw.socket.destroy()
    while (server.clients() > 0) await new Promise(resolve => setImmediate(resolve))
    const one = await client()
    one.command('history.sync')
    await one.next(message => message.type === 'history.batch' && message.data['hasMore'] === false)
  })
})

verifies(['4.1/json-text-frames'], 'the usual library reads and writes it without a word more', async () => {
  const { journal, server } = await startTestServer()
  const socket = new WebSocket(server.url, { perMessageDeflate: true })
  const types: string[] = []
  const marked = new Promise(resolve => {
    socket.on('message', (data: Buffer, isBinary) => {
      expect(isBinary).toBe(false)
      const { type } = JSON.parse(data.toString('utf8')) as { type: string }
      types.push(type)
      if (type === 'info') resolve(undefined)
    })
  })
  await new Promise(resolve => socket.once('open', resolve))
  expect(socket.extensions).toBe('')
  socket.send('{"type":"handshake","data":{"mode":"readonly"}}')
  socket.send('{"id":"p","type":"ping"}')
  await new Promise(resolve => {
    socket.once('pong', resolve)
    socket.ping('hello')
  })
  journal.append('info', { message: 'mark' })
  await marked
  expect(types).toEqual(['handshake.response', 'server.ready', 'pong', 'info'])
  socket.close()
  await new Promise(resolve => socket.once('close', resolve))
})
