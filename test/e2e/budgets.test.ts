import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { isProof, proofSeed, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { audit } from './budgets-audit.ts'
import { type RandomHank, randomHanks } from './budgets-hanks.ts'
import { rehearsed } from './budgets-rehearsal.ts'

const count = isProof ? 200 : 3
const seed = proofSeed ?? 20_261
/** As many as there are cores on a small machine. */
const atOnce = 2

describe('budgets, with both agents at work', () => {
  verifies(
    ['d9/four-token-classes', 'd9/empty-pool-no-start', 'safety/I9'],
    `hold in random hanks: the ledger is the closed form, nothing begins that nothing is left for (seed ${seed})`,
    async () => {
      const hanks = [...randomHanks(count, seed)]
      const directories = await Promise.all(hanks.map(() => tempDir()))
      const amounts: number[] = []
      const workers = Array.from({ length: atOnce }, async () => {
        for (let hank = hanks.pop(); hank; hank = hanks.pop())
          amounts.push(audit(hank, await rehearsed(directories.pop() ?? '', hank)))
      })
      await Promise.all(workers)
      expect(amounts).toHaveLength(count)
      expect(amounts.every(amount => amount > 0)).toBe(true)
      tally('hanks held against an accountant', count)
    },
    count * 30_000,
  )
})

/** Two codons, each with an answer for a bit more than a cent. */
const charge = { input: 10_001, output: 5_001, cacheRead: 0, cacheWrite: 0 }
const model = 'openai/gpt-5-mini'
const two = (overrides: object = {}): RandomHank => ({
  hank: { $schema: 'x', overrides, hank: [codon('a', { model }), codon('b', { model })] },
  calls: { a: [charge], b: [charge] },
})

describe('a dollar limit of the whole run', () => {
  const breachesOf = async (hank: RandomHank, weaveJson: object = {}) => {
    const dir = await tempDir()
    writeFileSync(join(dir, 'weave.json'), JSON.stringify(weaveJson))
    const { events } = await rehearsed(dir, hank)
    return events.flatMap(({ type, data }) =>
      type === 'budget.exceeded' ? [`${data.codonId} ${data.scope} ${data.limit}`] : [],
    )
  }

  verifies(
    ['2.2/budget', '2.8/budget-max-dollars'],
    'is what the hank or weave.json says, and without a word there is none',
    async () => {
      const ofHank = await breachesOf(two({ budget: { maxDollars: 0.01 } }))
      const ofFile = await breachesOf(two({ budget: { maxDollars: 1 } }), { budget: { maxDollars: 0.011 } })
      const none = await breachesOf(two())
      expect(ofHank).toEqual(['a hank 0.01', 'b hank 0.01'])
      expect(ofFile).toEqual(['a weave.json 0.011', 'b weave.json 0.011'])
      expect(none).toEqual([])
    },
    90_000,
  )
})

describe('a run without a screen', () => {
  beforeAll(scriptedWeave, 120_000)

  verifies(
    ['d9/complete-summary', '2.8/budget-max-time-seconds'],
    'says in its summary which codons were stopped by a budget, and by whose',
    async () => {
      const hank = [
        codon('a', { model, budget: { maxOutputTokens: 30 } }),
        codon('b', { model, promptText: 'Work. Then hang.' }),
        codon('c', { model }),
      ]
      const at = await hankFolder(hank, { 'weave.json': { budget: { maxTimeSeconds: 2 } } })
      const { status, stderr } = await at.scripted()
      expect(status, stderr).toBe(0)
      const lines = stderr.split('\n').filter(line => line.includes('stopped by budget'))
      expect(lines).toHaveLength(3)
      expect(lines[0]).toMatch(/^ +a .*stopped by budget: 30 output tokens$/)
      expect(lines[1]).toMatch(/^ +b .*stopped by budget: 2 seconds \(weave\.json\)$/)
      expect(lines[2]).toMatch(/^ +c .*stopped by budget: 2 seconds \(weave\.json\)$/)
    },
    60_000,
  )
})
