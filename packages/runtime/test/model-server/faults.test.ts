import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { startModelServer } from '../../src/model-server/index.ts'
import { post, served, text } from './served.ts'

const streamed = { stream: true, messages: [{ role: 'user', content: 'Hi.' }] }

test('cuts the connection before anything is answered', async () => {
  const server = await served(() => ({ kind: 'drop' }))
  await expect(post(`${server.url}/v1/messages`, {})).rejects.toThrow('fetch failed')
  const request = await server.until(({ endedAt }) => endedAt !== undefined)
  expect(request).toMatchObject({ status: undefined, aborted: false })
})

test('hangs for as long as the script says, then cuts the connection', async () => {
  const clock = createTestClock()
  const server = await served(() => ({ kind: 'hang', seconds: 60 }), { clock })
  const asked = post(`${server.url}/v1/messages`, {}).then(
    () => 'answered',
    () => 'cut',
  )
  await clock.untilSleepers(1)
  await clock.advance(59_999)
  expect(server.requests).toMatchObject([{ endedAt: undefined }])
  await clock.advance(1)
  expect(await asked).toBe('cut')
})

test('waits before it answers', async () => {
  const clock = createTestClock()
  const server = await served(() => ({ ...text('late'), wait: 500 }), { clock })
  const asked = post(`${server.url}/v1/messages`, {})
  await clock.untilSleepers(1)
  await clock.advance(499)
  expect(clock.sleepers()).toBe(1)
  await clock.advance(1)
  expect((await asked).status).toBe(200)
  const request = await server.until(({ endedAt }) => endedAt !== undefined)
  expect((request.endedAt?.getTime() ?? 0) - request.startedAt.getTime()).toBe(500)
})

describe.each([true, false])('an answer that breaks half-way (stream: %s)', stream => {
  const parts = [{ kind: 'text', text: 'a text that is long enough to be cut' }] as const
  const body = { ...streamed, stream }

  test('ends with a cut connection', async () => {
    const server = await served(() => ({ kind: 'message', parts, broken: 'cut' }))
    const answer = await post(`${server.url}/v1/messages`, body)
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow('terminated')
    const request = await server.until(({ endedAt }) => endedAt !== undefined)
    expect(request).toMatchObject({ status: 200, aborted: false })
  })

  test('ends in nonsense', async () => {
    const server = await served(() => ({ kind: 'message', parts, broken: 'garbage' }))
    const heard = await (await post(`${server.url}/v1/messages`, body)).text()
    expect(heard).toContain('nonsense')
    expect(heard).not.toContain('message_stop')
    expect(() => JSON.parse(heard)).toThrow()
  })

  test('stalls until the client has enough', async () => {
    const server = await served(() => ({ kind: 'message', parts, broken: 'stall' }))
    const leave = new AbortController()
    const answer = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: JSON.stringify(body),
      signal: leave.signal,
    })
    const reader = answer.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toContain('"role":"assistant"')
    expect(server.requests).toMatchObject([{ endedAt: undefined, aborted: false }])
    leave.abort()
    expect(await server.until(({ aborted }) => aborted)).toMatchObject({ status: 200 })
  })
})

test('tells the script and the record that a client has gone', async () => {
  const events = new EventTarget()
  const told = once(events, 'gone')
  const server = await served(({ signal }) => {
    signal.addEventListener('abort', () => void events.dispatchEvent(new Event('gone')))
    return new Promise(() => undefined)
  })
  const leave = new AbortController()
  const asked = fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'k' },
    body: '{}',
    signal: leave.signal,
  }).catch(() => 'left')
  await server.until(({ kind }) => kind === 'model')
  leave.abort()
  expect(await asked).toBe('left')
  await told
  expect(await server.until(({ aborted }) => aborted)).toMatchObject({ status: undefined })
})

test('answers with status 500 and the reason when the script fails', async () => {
  const server = await served(({ index }) => {
    if (index === 0) throw new Error('no such step')
    return index === 1 ? Promise.reject(new Error('too late')) : text('fine')
  })
  const first = await post(`${server.url}/v1/messages`, {})
  expect(first.status).toBe(500)
  expect(await first.json()).toMatchObject({ error: { message: 'The script failed: no such step' } })
  expect((await post(`${server.url}/v1/responses`, {})).status).toBe(500)
  expect((await post(`${server.url}/v1/messages`, {})).status).toBe(200)
})

test('cuts the connection when the script wants a status that there is not', async () => {
  const server = await served(() => ({ kind: 'error', status: 1000 }))
  await expect(post(`${server.url}/v1/messages`, {})).rejects.toThrow('fetch failed')
})

describe('closing', () => {
  test('ends hanging connections, at once and more than once', async () => {
    const server = await served(() => new Promise(() => undefined))
    const asked = post(`${server.url}/v1/messages`, {}).then(
      () => 'answered',
      () => 'cut',
    )
    await server.until(({ kind }) => kind === 'model')
    await Promise.all([server.close(), server.close()])
    expect(await asked).toBe('cut')
    expect(server.requests).toMatchObject([{ aborted: false }])
    await expect(post(`${server.url}/v1/messages`, {})).rejects.toThrow('fetch failed')
  })

  test('fails those who still wait for a request', async () => {
    const server = await served(() => text('x'))
    const waiting = expect(server.until(() => false)).rejects.toThrow('closed before such a request came')
    await server.close()
    await waiting
    await expect(server.until(() => false)).rejects.toThrow('closed')
  })

  test('leaves the port to the next', async () => {
    const first = await served(() => text('first'))
    const { port } = first
    await expect(
      startModelServer({ respond: () => text('x'), clock: createTestClock(), port }),
    ).rejects.toThrow('EADDRINUSE')
    await first.close()
    const second = await served(() => text('second'), { port })
    expect(second.url).toBe(first.url)
  })
})

test('records who asked for what', async () => {
  const server = await served(() => text('x'))
  await (await post(`${server.url}/v1/messages?beta=true`, { model: 'm', messages: [] })).text()
  const [request] = server.requests
  expect(request).toMatchObject({
    kind: 'model',
    method: 'POST',
    path: '/v1/messages',
    dialect: 'anthropic',
    key: 'k',
    model: 'm',
    body: { model: 'm', messages: [] },
  })
  expect(request?.headers).toContain('x-api-key')
  expect(await server.until(({ status }) => status === 200)).toBe(request)
})
