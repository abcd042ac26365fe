import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRegistry, findModel, resolveModel } from '../../src/models/index.ts'
import { fullName } from '../../src/models/model.ts'
import { registryOf } from '../../src/models/registry.ts'
import { model } from './models.ts'

const { registry } = await createRegistry()

describe('a model name', () => {
  verifies(
    ['agents/loose-names'],
    'may be written with other marks and capitals than the catalogue has',
    () => {
      const same = (name: string) => findModel(name, registry)?.identity
      for (const name of ['Claude Sonnet 5.5', 'claude-sonnet-5.5', 'sonnet-5-5'])
        expect(same(name), name).toBe('sdk:anthropic/claude-sonnet-5-5')
      expect(same('gpt5')).toBe('embedded:openai/gpt-5')
      expect(same('SONNET')).toBe(same('sonnet'))
      expect(same('claude-sonnet-55-x')).toBeUndefined()
    },
  )

  verifies(['agents/thinking-suffix'], 'may have a level of thinking behind it', () => {
    const level = (name: string) => findModel(name, registry)?.thinking
    expect(findModel('sonnet-high', registry)).toMatchObject({
      id: findModel('sonnet', registry)?.id,
      identity: findModel('sonnet', registry)?.identity,
      thinking: 'high',
    })
    expect(level('opus-xhigh')).toBe('xhigh')
    expect(level('gpt-5:low')).toBe('low')
    expect(level('pi/anthropic/claude-sonnet-4-5-minimal')).toBe('minimal')
    expect(level('ollama/qwen3:8b-high')).toBe('high')
    expect(level('sonnet')).toBeUndefined()
    expect(findModel('sonnet-highest', registry)).toBeUndefined()
  })

  verifies(['2.12/full-model-id', 'd8a/form-full-id'], 'may be a full id of the catalogue', async () => {
    expect(await resolveModel('claude-sonnet-4-5-20250929', registry)).toMatchObject({
      ok: true,
      model: { provider: 'anthropic', id: 'claude-sonnet-4-5-20250929', contextWindow: 200_000 },
    })
    for (const { id } of registry.models) expect(findModel(id, registry), id).toBeDefined()
  })

  verifies(['2.12/provider-model-name'], "may be another provider's own name for its model", () => {
    expect(findModel('gpt-5', registry)?.identity).toBe('embedded:openai/gpt-5')
    expect(findModel('gemini-2.5-pro', registry)?.identity).toBe('embedded:google/gemini-2.5-pro')
    expect(findModel('moonshotai/kimi-k2', registry)?.identity).toBe('embedded:openrouter/moonshotai/kimi-k2')
  })

  verifies(['d8a/form-provider-id'], 'may be provider/id, for every model of the catalogue', () => {
    for (const one of registry.models) expect(findModel(fullName(one), registry)).toMatchObject(one)
  })

  verifies(
    ['d8a/form-pi', 'd8a/form-pi-slashes'],
    'after pi/ is provider/id for the embedded harness, with slashes in the id as they come',
    () => {
      expect(findModel('pi/anthropic/claude-opus-5', registry)?.identity).toBe(
        'embedded:anthropic/claude-opus-5',
      )
      expect(findModel('pi/openrouter/anthropic/claude-sonnet-4.5', registry)).toMatchObject({
        harness: 'embedded',
        provider: 'openrouter',
        id: 'anthropic/claude-sonnet-4.5',
        identity: 'embedded:openrouter/anthropic/claude-sonnet-4.5',
      })
      for (const one of registry.models) {
        expect(findModel(`pi/${fullName(one)}`, registry)).toMatchObject({ ...one, harness: 'embedded' })
      }
    },
  )

  it.each(['pi/', 'pi/sonnet', 'pi/claude-opus-5', 'pi/anthropic', 'pi/anthropic/', 'pi/pi/openai/gpt-5'])(
    'is not %s: after pi/ only provider/id counts',
    name => {
      expect(findModel(name, registry)).toBeUndefined()
    },
  )

  verifies(['d8a/harness-choice'], 'of the vendor means the SDK harness, any other the embedded one', () => {
    for (const one of registry.models) {
      const harness = one.provider === 'anthropic' ? 'sdk' : 'embedded'
      expect(findModel(fullName(one), registry)).toMatchObject({
        harness,
        identity: `${harness}:${one.provider}/${one.id}`,
      })
    }
  })

  it.each([
    ['gpt-5', 'openai'],
    ['claude-sonnet-5-5', 'anthropic'],
    ['openai/gpt-5', 'openai'],
    ['kimi-k2.6', 'moonshotai'],
    ['deepseek-v4-pro', 'deepseek'],
    ['openai/gpt-oss-120b', 'groq'],
    ['anthropic/claude-sonnet-4.5', 'openrouter'],
  ])('%s, which several providers have, means that of %s', (name, provider) => {
    expect(findModel(name, registry)?.provider).toBe(provider)
  })

  it('means the same whatever the order in which models were added', () => {
    const models = [
      model('my-host', 'm-1'),
      model('a-host', 'm-1'),
      model('groq', 'm-1'),
      model('openai', 'x'),
    ]
    for (const order of [models, models.toReversed()]) {
      expect(findModel('m-1', registryOf(order))?.provider).toBe('groq')
    }
    const unknown = models.slice(0, 2)
    for (const order of [unknown, unknown.toReversed()]) {
      expect(findModel('m-1', registryOf(order))?.provider).toBe('a-host')
    }
  })

  const names = new Set([
    ...registry.aliases.keys(),
    ...registry.models.flatMap(one => [one.id, fullName(one), `pi/${fullName(one)}`]),
  ])

  const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}/]/gu, '')
  const known = new Set([...names].flatMap(name => [letters(name), letters(name.replace(/^claude-/, ''))]))
  /** All that may differ are marks between letters, and a level of thinking behind them. */
  const isStrict = (name: string) => {
    const found = findModel(name, registry)
    if (!found) return !names.has(name)
    const level = found.thinking ?? ''
    return known.has(letters(name)) || (level !== '' && known.has(letters(name).slice(0, -level.length)))
  }

  verifies(['d8a/strict-ids'], 'is never understood by likeness', () => {
    for (const nonsense of [
      'claude-sonnet-5-nonsense',
      'claude-sonnet',
      'claude',
      'gpt-5-nonsense',
      'gpt',
      '',
    ]) {
      expect(findModel(nonsense, registry), nonsense).toBeUndefined()
    }
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 30 }), isStrict))
    const spoiled = fc
      .tuple(fc.constantFrom(...names), fc.nat(60), fc.nat(2), fc.string({ maxLength: 3 }))
      .map(([name, at, removed, inserted]) => name.slice(0, at) + inserted + name.slice(at + removed))
    fc.assert(fc.property(spoiled, isStrict), { numRuns: 1_000 })
  })

  it.each(['__proto__', 'constructor', 'toString', 'openai/__proto__', '__proto__/x', ' sonnet', 'sonnet '])(
    'is not %j',
    name => {
      expect(findModel(name, registry)).toBeUndefined()
    },
  )
})
