import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { complete } from '../../src/llm/index.ts'
import type { Environment, ResolvedModel } from '../../src/models/index.ts'
import { accessFrom } from '../../src/sentinel/index.ts'
import { dialects, modelServer, say } from '../llm/models.ts'
import { event } from './observed-events.ts'
import { attachment, haiku, scene } from './scene.ts'

const ended = { reason: 'codon-complete' } as const
const modelAt = (provider: string, id = 'some-model'): ResolvedModel => ({ ...haiku, provider, id })
const keyFor = (provider: string, environment: Environment) => {
  const access = accessFrom(modelAt(provider), environment)
  return access.ok ? access.key : access.message
}

describe('the key of a sentinel', () => {
  verifies(
    ['5/sentinel-keys', '5/sentinel-key-first', '5/sentinel-key-fallback'],
    'is its own where there is one, else the plain one',
    () => {
      for (const provider of ['anthropic', 'openai', 'google']) {
        const plain = `${provider.toUpperCase()}_API_KEY`
        const own = `WEAVE_SENTINEL_${plain}`
        expect(keyFor(provider, { [plain]: 'plain', [own]: 'own' })).toBe('own')
        expect(keyFor(provider, { [plain]: 'plain', [own]: '' })).toBe('plain')
      }
      expect(keyFor('openai', {})).toBe(
        'there is no key for openai; set WEAVE_SENTINEL_OPENAI_API_KEY or OPENAI_API_KEY',
      )
    },
  )
})

describe('the call of a sentinel', () => {
  verifies(
    ['d1/endpoint-override-sentinel'],
    'goes to the address that the environment names, for every provider',
    async () => {
      const server = await modelServer(({ model }) => say(`I am ${model}.`))
      const environment = {
        ANTHROPIC_API_KEY: 'key-anthropic',
        ANTHROPIC_BASE_URL: server.url,
        OPENAI_API_KEY: 'key-openai',
        OPENAI_BASE_URL: `${server.url}/v1`,
        GOOGLE_API_KEY: 'key-google',
        GOOGLE_BASE_URL: server.url,
        OPENROUTER_API_KEY: 'key-openrouter',
        OPENROUTER_BASE_URL: `${server.url}/api/v1`,
      }
      const all = dialects.map(({ provider, modelId }) =>
        attachment({ id: provider, model: `${provider}/${modelId}` }),
      )
      const { load, said } = await scene(all, {
        call: complete,
        modelOf: name => {
          const found = dialects.find(({ provider, modelId }) => name === `${provider}/${modelId}`)
          return found && modelAt(found.provider, found.modelId)
        },
        accessTo: model => accessFrom(model, environment),
      })
      const attached = await load()
      attached.route(event('info'))
      await attached.finish(ended)
      expect(
        said('sentinel.output')
          .map(({ content }) => JSON.stringify(content))
          .sort(),
      ).toEqual(dialects.map(({ modelId }) => `"I am ${modelId}."`).sort())
      expect(server.requests.map(({ key }) => key).sort()).toEqual(
        dialects.flatMap(({ provider }) => [`key-${provider}`, `key-${provider}`]).sort(),
      )
    },
  )

  test('has the shape checked against the schema of the hank, and a wrong one is an error that is paid for', async () => {
    const schema = { type: 'object', properties: { level: { enum: [1, 2] } }, required: ['level'] }
    const server = await modelServer(({ index }) => say(['ok', '{"level":3}', '{"level":2}'][index] ?? ''))
    const strict = attachment({ structuredOutput: { output: 'object', schema } })
    const { load, said, states } = await scene([strict], {
      call: complete,
      accessTo: model => accessFrom(model, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url }),
    })
    const attached = await load()
    attached.route(event('info'))
    attached.route(event('info'))
    await attached.finish(ended)
    expect(said('sentinel.error')).toMatchObject([
      {
        errorType: 'llm-call-failed',
        message: expect.stringContaining('does not have the shape'),
        retriable: true,
      },
    ])
    expect(said('sentinel.output')).toMatchObject([{ outputType: 'structured', content: { level: 2 } }])
    expect(states()[0]).toMatchObject({ llmCallCount: 3, tokens: { input: 3 * 45, output: 3 * 7 } })
  })
})
