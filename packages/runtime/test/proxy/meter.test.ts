import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { systemClock } from '../../src/kit/index.ts'
import { type Answer, startModelServer } from '../../src/model-server/index.ts'
import { type MeteredAnswer, startMeter } from '../../src/proxy/index.ts'

const usage = { input: 1_000, output: 77, cacheRead: 300, cacheWrite: 20 }
const expected = { inputTokens: 1_000, outputTokens: 77, cacheReadTokens: 300, cacheCreationTokens: 20 }
const messages = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const google = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }

const ways: readonly (readonly [name: string, path: string, body: object])[] = [
  ['messages', '/v1/messages', messages],
  ['messages, streamed', '/v1/messages', { ...messages, stream: true }],
  ['chat', '/v1/chat/completions', chat],
  ['chat, streamed', '/v1/chat/completions', { ...chat, stream: true }],
  ['responses', '/v1/responses', { model: 'm', input: 'Hi' }],
  ['responses, streamed', '/v1/responses', { model: 'm', input: 'Hi', stream: true }],
  ['google', '/v1beta/models/m:generateContent', google],
  ['google, streamed', '/v1beta/models/m:streamGenerateContent?alt=sse', google],
]

async function meterOn(upstream: string) {
  const answers: MeteredAnswer[] = []
  const started = await startMeter({
    upstream,
    environment: {},
    clock: systemClock,
    onSign: () => undefined,
    onAnswer: answer => answers.push(answer),
  })
  if (!started.ok) throw new Error(started.message)
  const { meter } = started
  onTestFinished(() => meter.close())
  const ask = async (path: string, body: object) => {
    const response = await fetch(meter.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
      body: JSON.stringify(body),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => '')
    await meter.settled()
    return { status: response?.status, text }
  }
  return { answers, ask }
}

async function modelServer(answer: Answer) {
  const server = await startModelServer({ clock: systemClock, respond: () => answer })
  onTestFinished(() => server.close())
  return server.url
}

describe('the meter', () => {
  for (const [name, path, body] of ways) {
    verifies(['acp/meter-usage'], `reads what ${name} is charged for`, async () => {
      const parts = [{ kind: 'text', text: 'Words, and "usage" too.'.repeat(20) }] as const
      const { answers, ask } = await meterOn(await modelServer({ kind: 'message', parts, usage }))
      expect((await ask(path, body)).status).toBe(200)
      await ask(path, body)
      const isGoogle = name.startsWith('google')
      // That dialect has no word for what goes into a cache.
      const tokens = isGoogle ? { ...expected, inputTokens: 1_020, cacheCreationTokens: 0 } : expected
      expect(answers).toMatchObject([
        { tokens, isWhole: true, modelId: 'm' },
        { tokens, isWhole: true },
      ])
      expect(answers.every(({ failure }) => failure === undefined)).toBe(true)
      expect(answers[0]?.id).not.toBe(answers[1]?.id)
    })

    verifies(['acp/overflow', 'acp/park'], `knows an overflow and a wait of ${name}`, async () => {
      const full = await meterOn(await modelServer({ kind: 'overflow' }))
      await full.ask(path, body)
      expect(full.answers).toMatchObject([{ failure: { status: 400, isOverflow: true } }])
      expect(full.answers[0]?.tokens).toBeUndefined()
      const limited = { kind: 'error', status: 429, message: 'Later.', retryAfter: 120 } as const
      const busy = await meterOn(await modelServer(limited))
      await busy.ask(path, body)
      expect(busy.answers).toMatchObject([
        { failure: { status: 429, retryAfterMs: 120_000, message: 'Later.', isOverflow: false } },
      ])
    })
  }

  verifies(['acp/meter-odd'], 'takes what was cut off, or cannot be, for not known', async () => {
    const parts = [{ kind: 'text', text: 'Words. '.repeat(200) }] as const
    const cut = await meterOn(await modelServer({ kind: 'message', parts, usage, broken: 'cut' }))
    await cut.ask('/v1/messages', { ...messages, stream: true })
    expect(cut.answers).toMatchObject([
      { isWhole: false, failure: { message: expect.any(String) as string } },
    ])
    for (const odd of [
      { prompt_tokens: -5, completion_tokens: 1 },
      { prompt_tokens: 5, completion_tokens: -1 },
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6 } },
      { prompt_tokens: 1e300, completion_tokens: 1 },
      {},
    ]) {
      const { answers, ask } = await meterOn(await plainServer(JSON.stringify({ id: 'x', usage: odd })))
      await ask('/v1/chat/completions', chat)
      expect(answers).toMatchObject([{ isWhole: false }])
    }
  })

  verifies(
    ['acp/meter-usage'],
    'reads packed answers, lists, thoughts, and errors inside of streams',
    async () => {
      const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 4 }
      const list = JSON.stringify([
        { responseId: 'g', candidates: [{}], usageMetadata: { promptTokenCount: 10 } },
        { responseId: 'g', candidates: [{ finishReason: 'STOP' }], usageMetadata },
      ])
      const packed = await meterOn(await plainServer(gzipSync(list), { 'content-encoding': 'gzip' }))
      await packed.ask('/v1beta/models/m:streamGenerateContent', google)
      expect(packed.answers).toMatchObject([
        { id: 'g', tokens: { inputTokens: 10, outputTokens: 7 }, isWhole: true },
      ])
      const failed = {
        type: 'response.failed',
        response: {
          id: 'r',
          error: {
            code: 'context_length_exceeded',
            message: 'Your input exceeds the context window of this model.',
          },
        },
      }
      const inside = await meterOn(
        await plainServer(`event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`, {
          'content-type': 'text/event-stream',
        }),
      )
      await inside.ask('/v1/responses', { model: 'm', input: 'Hi', stream: true })
      expect(inside.answers).toMatchObject([{ failure: { status: 400, isOverflow: true } }])
    },
  )
})

async function plainServer(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
