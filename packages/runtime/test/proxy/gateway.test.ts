import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { systemClock } from '../../src/kit/index.ts'
import { startModelServer } from '../../src/model-server/index.ts'
import { endpointFor, rerouted } from '../../src/models/index.ts'
import {
  type Asked,
  type GatewayAnswer,
  type GatewaySeat,
  type GatewayWord,
  startGateway,
} from '../../src/proxy/index.ts'

const usage = { input: 1_000, output: 77, cacheRead: 300, cacheWrite: 20 }
const parts = [{ kind: 'text', text: 'Words.' }] as const
const talk = [{ role: 'user', content: 'Hi' }]

interface Heard {
  readonly asked: Asked
  readonly answer: GatewayAnswer
}

async function gatewayWith(before: GatewaySeat['before']) {
  const heard: Heard[] = []
  const seat: GatewaySeat = { before, after: (asked, answer) => heard.push({ asked, answer }) }
  const started = await startGateway({ seat, clock: systemClock, environment: {} })
  if (!started.ok) throw new Error(started.message)
  onTestFinished(() => started.gateway.close())
  return { ...started.gateway, heard }
}

async function providerAt(status = 200) {
  const server = await startModelServer({
    clock: systemClock,
    respond: () =>
      status === 200
        ? { kind: 'message', parts, usage }
        : { kind: 'error', status, message: 'slow down', retryAfter: 7 },
  })
  onTestFinished(() => server.close())
  return { url: server.url }
}

const post = (url: string, body: object, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', authorization: 'Bearer k' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })

const forward = async (): Promise<GatewayWord> => ({ kind: 'forward' })

const ways = [
  ['anthropic', '/messages', { model: 'm', max_tokens: 5, messages: talk }, 5],
  ['anthropic', '/messages', { model: 'm', max_tokens: 5, messages: talk, stream: true }, 5],
  ['openai', '/responses', { model: 'm', max_output_tokens: 6, input: 'Hi' }, 6],
  ['openrouter', '/chat/completions', { model: 'm', max_completion_tokens: 7, messages: talk }, 7],
  [
    'google',
    '/models/m:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 8 } },
    8,
  ],
] as const

describe('the gateway', () => {
  verifies(
    ['gateway/every-provider'],
    'leads to each provider at its own address, and says what was asked and what it came to',
    async () => {
      const { url } = await providerAt()
      const gateway = await gatewayWith(forward)
      for (const [provider, path, body, maxTokens] of ways) {
        const names = { anthropic: 'ANTHROPIC', openai: 'OPENAI', openrouter: 'OPENROUTER', google: 'GOOGLE' }
        const env = rerouted({ [`${names[provider]}_BASE_URL`]: url }, provider, address =>
          gateway.through(provider, address),
        )
        const endpoint = endpointFor(provider, env)
        expect(endpoint).toMatchObject({ ok: true, api: expect.stringContaining(gateway.url) })
        const response = await post(`${endpoint.ok ? endpoint.api : ''}${path}`, body)
        expect(response.status, await response.text()).toBe(200)
        await vi.waitFor(() => expect(gateway.heard).toHaveLength(1))
        expect(gateway.heard.pop()).toMatchObject({
          asked: { provider, kind: 'answer', model: 'm', maxTokens, hasMore: false },
          answer: { isWhole: true, isFree: false, tokens: { outputTokens: 77, cacheReadTokens: 300 } },
        })
      }
    },
  )

  verifies(
    ['gateway/seat'],
    'holds a request until it may go out, and sends nothing of one that may not',
    async () => {
      let got = 0
      const server = createServer((_, response) => {
        got++
        response.end('{}')
      }).listen(0, '127.0.0.1')
      onTestFinished(() => void server.close())
      await vi.waitFor(() => expect(server.listening).toBe(true))
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      let say: (word: GatewayWord) => void = () => undefined
      const held: AbortSignal[] = []
      const gateway = await gatewayWith((_, signal) => {
        held.push(signal)
        return new Promise(resolve => {
          say = resolve
        })
      })
      const url = `${gateway.through('anthropic', address)}/v1/messages`
      const body = { model: 'm', max_tokens: 5, messages: talk }
      const first = post(url, body)
      await vi.waitFor(() => expect(held).toHaveLength(1))
      expect(got).toBe(0)
      say({ kind: 'refuse', status: 429, message: 'no money', retryAfterMs: 1_500 })
      const refused = await first
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
      expect(await refused.json()).toMatchObject({ error: { message: 'no money' } })
      const second = post(url, body)
      await vi.waitFor(() => expect(held).toHaveLength(2))
      say({ kind: 'forward' })
      expect((await second).status).toBe(200)
      expect(got).toBe(1)
      const leaving = new AbortController()
      const third = post(url, body, leaving.signal).catch(() => 'left')
      await vi.waitFor(() => expect(held).toHaveLength(3))
      leaving.abort()
      expect(await third).toBe('left')
      await vi.waitFor(() => expect(held[2]?.aborted).toBe(true))
      say({ kind: 'forward' })
      await vi.waitFor(() => expect(gateway.heard.at(-1)?.answer).toEqual({ isWhole: false, isFree: true }))
      expect(got).toBe(1)
    },
  )

  verifies(
    ['gateway/seat'],
    'says of an error that it is free and how long to wait, and of one that never arrived',
    async () => {
      const { url } = await providerAt(429)
      const gateway = await gatewayWith(forward)
      const body = { model: 'm', max_tokens: 5, messages: talk }
      await post(`${gateway.through('anthropic', url)}/v1/messages`, body)
      await post(`${gateway.through('anthropic', 'http://127.0.0.1:9')}/v1/messages`, body)
      await vi.waitFor(() => expect(gateway.heard).toHaveLength(2))
      expect(gateway.heard.map(({ answer }) => answer)).toMatchObject([
        { isFree: true, status: 429, retryAfterMs: 7_000 },
        { isFree: true },
      ])
    },
  )

  verifies(['gateway/every-provider'], 'leads nowhere else', async () => {
    const { url } = await providerAt()
    const gateway = await gatewayWith(forward)
    const base = gateway.through('anthropic', `${url}/team`)
    const gone = await post(`${gateway.url}/nobody/v1/messages`, {})
    const { port, pathname } = new URL(base)
    // Not by `fetch`, which would take the dots away itself.
    const climbing = request({ port, path: `${pathname}/%2e%2e/other` }).end()
    const [climbed] = (await once(climbing, 'response')) as [IncomingMessage]
    climbed.resume()
    expect([gone.status, climbed.statusCode]).toEqual([404, 404])
    expect(gateway.heard).toEqual([])
  })
})
