import { describe, expect, it } from 'vitest'
import { createRegistry, findModel, listModels } from '../../src/models/index.ts'
import { registryOf } from '../../src/models/registry.ts'
import { model } from './models.ts'

const { registry } = await createRegistry()

describe('the list of models', () => {
  it('has a row for every model, each with what its name resolves to', () => {
    const rows = listModels(registry, { environment: {} })
    expect(rows).toHaveLength(registry.models.length)
    for (const { provider, id, harness } of rows) {
      expect(findModel(`${provider}/${id}`, registry)?.harness).toBe(harness)
    }
  })

  it('shows aliases, window, prices, harness and whether there is a key', () => {
    const rows = listModels(registry, { environment: { ANTHROPIC_API_KEY: 'hunter2' }, filter: 'sonnet-5-5' })
    expect(rows[0]).toEqual({
      provider: 'anthropic',
      id: 'claude-sonnet-5-5',
      name: 'Claude Sonnet 5.5',
      aliases: ['sonnet'],
      harness: 'sdk',
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      prices: {
        input: 2,
        output: 10,
        cacheRead: 0.1,
        cacheWrite: 2.5,
        source: 'pi-ai 1.5.0',
        date: '2026-11-02',
      },
      hasCredential: true,
    })
    expect(rows.slice(1).every(({ hasCredential }) => !hasCredential)).toBe(true)
    expect(JSON.stringify(rows)).not.toContain('hunter2')
  })

  it('leaves the price out where it is not known', () => {
    const rows = listModels(registryOf([model('my-host', 'm-1')]), { environment: { MY_HOST_API_KEY: 'k' } })
    expect(rows).toEqual([
      {
        provider: 'my-host',
        id: 'm-1',
        name: 'm-1',
        aliases: [],
        harness: 'embedded',
        contextWindow: 1_000,
        hasCredential: true,
      },
    ])
  })

  it('can be narrowed by provider, id, name or alias, in any case', () => {
    const filtered = (filter: string) => listModels(registry, { environment: {}, filter })
    expect(filtered('GROQ/').every(({ provider, id }) => `${provider}/${id}`.includes('groq/'))).toBe(true)
    expect(filtered('opus').map(({ id }) => id)).toContain('claude-opus-5-5')
    expect(filtered('Claude Haiku 5.5').map(({ provider }) => provider)).toContain('anthropic')
    expect(filtered('no such thing')).toEqual([])
  })
})
