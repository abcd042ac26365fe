import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { at, check, codon, outcomes, printed, secret } from './fixture.ts'
import { content, startProvider } from './provider-server.ts'

describe('the request', () => {
  verifies(
    ['d8a/self-test-vendor'],
    'to the vendor counts tokens of that model, whichever harness runs it',
    async () => {
      const server = await startProvider(content)
      await check([codon('opus'), codon('pi/anthropic/claude-haiku-5-5')], { environment: at(server.origin) })
      const body = (model: string) => JSON.stringify({ model, messages: [{ role: 'user', content: 'ping' }] })
      const byBody = [...server.received].sort((a, b) => (a.body < b.body ? -1 : 1))
      expect(byBody).toMatchObject([
        { method: 'POST', path: '/v1/messages/count_tokens', body: body('claude-haiku-5-5') },
        { method: 'POST', path: '/v1/messages/count_tokens', body: body('claude-opus-5-5') },
      ])
      expect(byBody[0]?.headers).toMatchObject({
        'x-api-key': secret,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      })
    },
  )

  verifies(
    ['d8a/self-test-openai'],
    'to an OpenAI-shaped provider gets that model, with its slashes escaped',
    async () => {
      const server = await startProvider(content)
      const environment = at(server.origin, { GROQ_BASE_URL: `${server.origin}/openai/v1` })
      await check([codon('gpt-6'), codon('groq/meta/llama-9')], { environment })
      expect(server.received.map(one => `${one.method} ${one.path}`).sort()).toEqual([
        'GET /openai/v1/models/meta%2Fllama-9',
        'GET /v1/models/gpt-6',
      ])
      expect(server.received[0]?.headers.authorization).toBe(`Bearer ${secret}`)
    },
  )

  verifies(['d8a/self-test-google'], 'to Google gets that model, with the key in a header', async () => {
    const server = await startProvider(content)
    await check([codon('gemini-4')], { environment: at(server.origin) })
    expect(server.received).toMatchObject([
      { method: 'GET', path: '/v1beta/models/gemini-4', headers: { 'x-goog-api-key': secret } },
    ])
  })

  verifies(
    ['d8a/self-test-openrouter'],
    'to OpenRouter is about the key, and the model is looked up in the catalogue',
    async () => {
      const server = await startProvider(content)
      const seen: string[] = []
      const servable = (provider: string, id: string) => seen.push(`${provider} ${id}`) > 0
      await check([codon('openrouter/some/model')], { environment: at(server.origin), servable })
      expect(server.received).toMatchObject([
        { method: 'GET', path: '/api/v1/key', headers: { authorization: `Bearer ${secret}` } },
      ])
      expect(seen).toEqual(['openrouter some/model'])
    },
  )

  it('is left out for a provider that cannot be asked for one model', async () => {
    const server = await startProvider(content)
    const uses = [codon('deepseek/deepseek-v9')]
    const { results } = await check(uses, { environment: at(server.origin) })
    expect(results).toMatchObject([{ outcome: 'ok', asked: false }])
    expect(server.received).toEqual([])
  })

  verifies(
    ['d1/endpoint-override-self-test', '5/codon-keys'],
    'goes to the base URL of its provider, written with its version or without, with the key of that provider',
    async () => {
      const paths = async (addressed: (origin: string, version: string) => string) => {
        const server = await startProvider(content)
        const { origin } = server
        const environment = {
          ANTHROPIC_API_KEY: 'key-a',
          OPENAI_API_KEY: 'key-o',
          GOOGLE_API_KEY: 'key-g',
          OPENROUTER_API_KEY: 'key-r',
          ANTHROPIC_BASE_URL: addressed(`${origin}/a`, '/v1'),
          OPENAI_BASE_URL: addressed(origin, '/v1'),
          GOOGLE_BASE_URL: addressed(origin, '/v1beta'),
          OPENROUTER_BASE_URL: addressed(origin, '/api/v1'),
        }
        const uses = ['opus', 'gpt-6', 'gemini-4', 'openrouter/some/model'].map(name => codon(name))
        expect(printed(await check(uses, { environment }))).toEqual([])
        return server.received
          .map(({ path, headers }) => {
            const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization
            return `${path} ${String(key)}`
          })
          .sort()
      }
      const expected = [
        '/a/v1/messages/count_tokens key-a',
        '/api/v1/key Bearer key-r',
        '/v1/models/gpt-6 Bearer key-o',
        '/v1beta/models/gemini-4 key-g',
      ]
      expect(await paths((origin, version) => origin + version)).toEqual(expected)
      expect(await paths(origin => origin)).toEqual(expected)
      expect(await paths(origin => `${origin}/`)).toEqual(expected)
    },
  )

  verifies(
    ['4.2/self-tests-bypass'],
    'goes to the ambient address and never to the upstream setting or a proxy',
    async () => {
      const server = await startProvider(content)
      const proxy = await startProvider(content)
      const environment = at(server.origin, {
        WEAVE_RUNTIME_WITHOUT_PROXY: 'false',
        WEAVE_RUNTIME_VENDOR_BASE_URL: proxy.origin,
        HTTP_PROXY: proxy.origin,
        http_proxy: proxy.origin,
      })
      expect(outcomes(await check([codon('opus')], { environment }))).toEqual({
        'sdk:anthropic/claude-opus-5-5': 'ok',
      })
      expect([server.received.length, proxy.received.length]).toEqual([1, 0])
    },
  )

  it('never takes a key of the person to an address of the hank, which is told', async () => {
    const server = await startProvider(content)
    const usual = await startProvider(content)
    const own = { OPENAI_API_KEY: secret, OPENAI_BASE_URL: usual.origin }
    const lent = codon('gpt-6', { environment: { ...own, OPENAI_BASE_URL: `${server.origin}/v1` } })
    const result = await check([lent], { environment: own })
    expect(printed(result)).toEqual([
      `warning: hank[0].model: Codon 1 (c1): The hank sends your OPENAI_API_KEY to ${server.host}, ` +
        'where nothing was asked yet. Run it only if you trust that address.',
    ])
    expect(result.results).toMatchObject([{ outcome: 'ok', asked: false }])
    expect(server.received).toEqual([])

    const alsoPlain = await check([lent, codon('gpt-6', { number: 2 })], { environment: own })
    expect(alsoPlain.results).toMatchObject([{ outcome: 'ok', asked: true }])
    expect([server.received.length, usual.received.length]).toEqual([0, 1])
  })
})
