import { getModels, getProviders } from '@earendil-works/pi-ai'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { servable } from '../../../src/harness/available.ts'
import { pickModel } from '../../../src/harness/pi/worker/pick-model.ts'
import { createRegistry } from '../../../src/models/index.ts'
import { say } from './bench.ts'
import { openDesk } from './in-process.ts'

function picked(provider: string, model: string, given: object = {}) {
  const known = getProviders().find(name => name === provider)
  const result = pickModel(known ? getModels(known) : [], { provider, model, ...given })
  if (!result.ok) throw new Error(result.message)
  return result.model
}

describe('the model that is asked', () => {
  test('is the entry of the SDK, with our window and at the given address', () => {
    const given = {
      contextWindow: 123_456,
      maxOutputTokens: 1,
      address: { root: 'http://host', api: 'http://host/v1' },
    }
    const own = getModels('openai').find(({ id }) => id === 'gpt-5.1')
    expect(picked('openai', 'gpt-5.1', given)).toEqual({
      ...own,
      contextWindow: 123_456,
      baseUrl: 'http://host/v1',
    })
  })

  test.each([
    ['anthropic', 'claude-opus-5-5', 'anthropic-messages', 'https://api.anthropic.com'],
    ['openai', 'gpt-6.1-sol', 'openai-responses', 'https://api.openai.com/v1'],
    ['google', 'gemini-4-argon', 'google-generative-ai', 'https://generativelanguage.googleapis.com/v1beta'],
    ['openrouter', 'anthropic/claude-opus-5.5', 'openai-completions', 'https://openrouter.ai/api/v1'],
    ['opencode', 'claude-opus-9', 'anthropic-messages', 'https://opencode.ai/zen'],
    ['opencode', 'gpt-9', 'openai-responses', 'https://opencode.ai/zen/v1'],
  ])('is like the nearest of %s for a new id such as %s', (provider, id, api, baseUrl) => {
    const model = picked(provider, id, { contextWindow: 500_000, maxOutputTokens: 60_000 })
    expect(model).toMatchObject({
      id,
      name: id,
      provider,
      api,
      baseUrl,
      contextWindow: 500_000,
      maxTokens: 60_000,
    })
  })

  test.each([
    ['anthropic', 'claude-sonnet-4-5', 'http://host'],
    ['mistral', 'mistral-large-latest', 'http://host'],
    ['google', 'gemini-2.5-pro', 'http://host/v1'],
    ['openrouter', 'openai/gpt-5', 'http://host/v1'],
  ])('is asked at an address that its client completes: %s', (provider, id, baseUrl) => {
    const address = { root: 'http://host', api: 'http://host/v1' }
    expect(picked(provider, id, { address }).baseUrl).toBe(baseUrl)
  })

  test('of a newer generation is not asked to think in a way that it may not know', async () => {
    const bodies: unknown[] = []
    const desk = await openDesk({
      respond: ({ body }) => {
        bodies.push(body)
        return say('ok')
      },
      factsOf: () => ({ contextWindow: 1_000_000, maxOutputTokens: 64_000 }),
    })
    await desk.ask(['x'], { model: 'claude-opus-5-5' })
    await desk.ask(['x'], { model: 'claude-sonnet-4-5' })
    expect(bodies[0]).toMatchObject({ model: 'claude-opus-5-5', max_tokens: 64_000 })
    expect(bodies[0]).not.toHaveProperty('thinking')
    expect(bodies[1]).toHaveProperty('thinking')
  })
})

verifies(
  ['d1/codon-credential-other-providers'],
  'another provider of the SDK works with its own variable, and so does one that only an address makes known',
  async () => {
    const desk = await openDesk({ respond: () => say('ok') })
    const groq = { GROQ_API_KEY: 'key-of-groq', GROQ_BASE_URL: `${desk.server.url}/v1` }
    expect(await desk.ask(['x'], { provider: 'groq', model: 'openai/gpt-oss-120b', env: groq })).toEqual({
      type: 'turn',
    })
    const own = { MY_HOST_API_KEY: 'key-of-host', MY_HOST_BASE_URL: desk.server.url }
    expect(await desk.ask(['x'], { provider: 'my-host', model: 'a/b', env: own })).toEqual({ type: 'turn' })
    expect(desk.server.requests.map(({ path, key, model }) => [path, key, model])).toEqual([
      ['/v1/chat/completions', 'key-of-groq', 'openai/gpt-oss-120b'],
      ['/v1/chat/completions', 'key-of-host', 'a/b'],
    ])
    const failure = await desk.fail({ provider: 'my-host', model: 'a/b', env: { MY_HOST_API_KEY: 'k' } })
    expect(failure.trouble.message).toContain('does not know the provider my-host')
  },
)

verifies(
  ['2.12/catalog-preflight'],
  'every model of the catalogue is one that the SDK would ask for, and one that needs more than a key is not servable',
  async () => {
    const { registry } = await createRegistry()
    const providers = new Set(registry.models.map(({ provider }) => provider))
    const known: readonly string[] = getProviders()
    const isAskedFor = ({ provider, id }: { readonly provider: string; readonly id: string }) => {
      const asked = picked(provider, id)
      return servable(provider) && asked.provider === provider && asked.id === id
    }
    expect(registry.models.filter(model => !isAskedFor(model))).toEqual([])
    expect(() => picked('my-host', 'm')).toThrow('no variable gives its address')
    const refused = known.filter(provider => !servable(provider))
    expect(refused.filter(provider => providers.has(provider))).toEqual([])
    expect(refused).toEqual([
      'amazon-bedrock',
      'azure-openai-responses',
      'cloudflare-ai-gateway',
      'cloudflare-workers-ai',
      'google-vertex',
    ])
  },
)
