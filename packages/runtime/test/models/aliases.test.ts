import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRegistry } from '../../src/models/index.ts'
import { aliases, aliasTargets, registryOf } from '../../src/models/registry.ts'
import { findModel } from '../../src/models/resolve.ts'
import { model } from './models.ts'

const { registry } = await createRegistry()

describe('aliases', () => {
  verifies(
    ['2.12/family-aliases', 'd8a/aliases'],
    'haiku, sonnet and opus mean the newest model of their family in the catalogue',
    () => {
      expect(aliases).toEqual(['haiku', 'sonnet', 'opus'])
      for (const [alias, id] of [
        ['haiku', 'claude-haiku-5-5'],
        ['sonnet', 'claude-sonnet-5-5'],
        ['opus', 'claude-opus-5-5'],
      ] as const) {
        expect(findModel(alias, registry)).toMatchObject({ provider: 'anthropic', id, harness: 'sdk' })
        expect(registry.models).toContain(registry.aliases.get(alias))
      }
      const newer = model('anthropic', 'claude-opus-6')
      expect(findModel('opus', registryOf([...registry.models, newer]))?.id).toBe('claude-opus-6')
    },
  )

  it.each([
    [['claude-opus-4-5', 'claude-opus-5', 'claude-opus-4-8'], 'claude-opus-5'],
    [['claude-opus-5', 'claude-opus-5-5'], 'claude-opus-5-5'],
    [['claude-opus-9-9', 'claude-opus-10'], 'claude-opus-10'],
    [['claude-opus-5-9', 'claude-opus-5-10'], 'claude-opus-5-10'],
    [['claude-opus-4-20250514', 'claude-opus-4-1'], 'claude-opus-4-1'],
    [['claude-opus-4-5-20251101', 'claude-opus-4-5'], 'claude-opus-4-5'],
    [['claude-opus-4-5', 'claude-opus-4-5-20251101'], 'claude-opus-4-5'],
    [['claude-3-opus-20240229', 'claude-opus-4-0'], 'claude-opus-4-0'],
    [['claude-3-opus-latest'], 'claude-3-opus-latest'],
    [['claude-opus-5', 'claude-opus-6-preview', 'opus-7', 'claude-opus-8-fast'], 'claude-opus-5'],
  ])('of %j opus is %s', (ids, expected) => {
    const models = ids.map(id => model('anthropic', id))
    expect(aliasTargets(models).get('opus')?.id).toBe(expected)
    expect(aliasTargets(models.toReversed()).get('opus')?.id).toBe(expected)
  })

  it('mean models of the vendor only', () => {
    const models = [model('anthropic', 'claude-opus-5'), model('opencode', 'claude-opus-9')]
    expect(aliasTargets(models).get('opus')?.provider).toBe('anthropic')
  })

  it('of a family without a model mean nothing', () => {
    const small = registryOf([model('anthropic', 'claude-opus-5')])
    expect(findModel('opus', small)?.id).toBe('claude-opus-5')
    expect(findModel('haiku', small)).toBeUndefined()
  })
})
