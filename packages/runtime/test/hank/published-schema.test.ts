import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonOf, hankOf } from '../../../../test/support/hank-builder.ts'
import { loadHank } from '../../src/hank/checks/load.ts'
import type { HankFile } from '../../src/hank/schema.ts'
import { contextIn, directoryWith, type Json } from './fixture.ts'

const file = new URL('../../../../schemas/hank.schema.json', import.meta.url)
const published = z.fromJSONSchema(
  JSON.parse(readFileSync(file, 'utf8')) as Parameters<typeof z.fromJSONSchema>[0],
)

const looksGood = (hank: HankFile): boolean => published.safeParse(JSON.parse(JSON.stringify(hank))).success

async function loads(hank: HankFile): Promise<boolean> {
  const dir = await directoryWith({ 'hank.json': JSON.parse(JSON.stringify(hank)) as Json })
  return (await loadHank(dir, contextIn('/'))).hank !== undefined
}

describe('the published schema', () => {
  verifies(
    ['7.3/schema-looser-than-loader'],
    'takes what only the loader refuses: prompts that are missing or exclude each other, a retryConfig without retry',
    async () => {
      const refused = [
        hankOf([codonOf('a', { promptText: undefined })]),
        hankOf([codonOf('a')], { globalSystemPromptFile: 'g.md', globalSystemPromptText: 'g' }),
        hankOf([codonOf('a', { appendSystemPromptFile: 's.md', appendSystemPromptText: 's' })]),
        hankOf([codonOf('a', { onFailure: 'abort', retryConfig: {} })]),
      ]
      for (const hank of refused) expect([looksGood(hank), await loads(hank)]).toEqual([true, false])
      expect(await loads(hankOf([codonOf('a')]))).toBe(true)
      expect(published.safeParse({ hank: [] }).success).toBe(false)
    },
  )

  verifies(
    ['7.3/loader-only-checks'],
    'says nothing about models, paths, files and required variables',
    async () => {
      expect(looksGood(hankOf([codonOf('a', { model: 'no-such-model' })]))).toBe(true)
      const refused = [
        hankOf([codonOf('a', { promptFile: '../outside.md' })]),
        hankOf([codonOf('a', { promptFile: 'missing.md' })]),
        hankOf([codonOf('a')], { requirements: { env: ['NO_SUCH_VARIABLE'] } }),
      ]
      for (const hank of refused) expect([looksGood(hank), await loads(hank)]).toEqual([true, false])
    },
  )
})
