import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FlagValue, type Observed, type Plan, prepare } from '@weave/runtime'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { budgetLines, forecastOf } from '../../src/validate/sections.ts'

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: 'Do it.',
  ...more,
})

async function planOf(
  files: Readonly<Record<string, unknown>>,
  flags: readonly FlagValue[] = [],
): Promise<Plan> {
  const dir = await tempDir({ inMemory: true })
  for (const [name, content] of Object.entries(files))
    await writeFile(join(dir, name), JSON.stringify(content))
  const { plan } = await prepare({
    flags,
    skipSelfTest: true,
    environment: { ANTHROPIC_API_KEY: 'placeholder' },
    workingDirectory: dir,
    home: dir,
  })
  if (!plan) throw new Error('there is no plan')
  return plan
}

const maxCost = { flag: '--max-cost', field: 'budget.maxDollars', value: '5' } as const

describe('the budgets of a hank', () => {
  test('are a table with where each limit comes from, and the worst case', async () => {
    const hank = {
      overrides: { budget: { maxDollars: 12, allocation: 'proportional', shares: { work: 0.5 } } },
      hank: [
        codon('plan', { budget: { maxDollars: 1, maxTimeSeconds: 60, maxOutputTokens: 900 } }),
        {
          type: 'loop',
          id: 'work',
          name: 'Work',
          terminateOn: { type: 'iterationLimit', limit: 3 },
          codons: [codon('read', { budget: { maxTimeSeconds: 30, maxContextTokens: 90_000 } })],
        },
      ],
    }
    expect(budgetLines(await planOf({ 'hank.json': hank }))).toEqual([
      'Budgets',
      '  The whole hank    $12                   its overrides',
      '  Codon 1 (plan)    $1                    its own cap',
      '                    60 s                  its own cap',
      '                    900 output tokens     its own cap',
      '  Loop 2 (work)     $6                    50 % of the hank',
      '  Codon 2.1 (read)  $6                    what is left of Loop 2 (work)',
      '                    30 s                  its own cap, per iteration',
      '                    90000 context tokens  its own cap, per iteration',
      '',
      'Worst case',
      '  dollars  $12, and what is under way when a limit is reached',
      '  time     150 s, and what is under way when a limit is reached',
      '',
    ])
  })

  test('name the flag or the file that is tighter than the hank', async () => {
    const hank = { overrides: { budget: { maxDollars: 12 } }, hank: [codon('a')] }
    const whole = async (files: Readonly<Record<string, unknown>>, flags: readonly FlagValue[] = []) =>
      budgetLines(await planOf({ 'hank.json': hank, ...files }, flags))[1]
    expect(await whole({})).toBe('  The whole hank  $12  its overrides')
    expect(await whole({}, [maxCost])).toBe('  The whole hank  $5  --max-cost')
    expect(await whole({ 'weave.json': { budget: { maxDollars: 4 } } }, [maxCost])).toBe(
      '  The whole hank  $4  weave.json',
    )
  })

  test('that do not exist have no table, and a worst case without bounds', async () => {
    const hank = { hank: ['a', 'b', 'c', 'd', 'e'].map(id => codon(id)) }
    expect(budgetLines(await planOf({ 'hank.json': hank }))).toEqual([
      'Worst case',
      '  dollars  unbounded: Codon 1 (a) has no dollar limit; Codon 2 (b) has no dollar limit; Codon 3 (c) has no dollar limit; and 2 more like these',
      '  time     unbounded: Codon 1 (a) has no time limit; Codon 2 (b) has no time limit; Codon 3 (c) has no time limit; and 2 more like these',
      '',
    ])
  })

  test('are told of a codon without a limit beside others that have one', async () => {
    const hank = { hank: [codon('a', { budget: { maxDollars: 1 } }), codon('b')] }
    expect(budgetLines(await planOf({ 'hank.json': hank }))).toContain('  Codon 2 (b)     no limit')
  })

  test('stand beside what earlier executions took', async () => {
    const good = await planOf({ 'hank.json': { hank: [codon('a', { budget: { maxDollars: 1 } })] } })
    const range = { low: 0.75, high: 1.5 }
    const before = (executions?: Observed) =>
      budgetLines(good, executions && { executions, codons: new Map() }).find(line =>
        line.startsWith('  before'),
      )
    expect(before()).toBeUndefined()
    expect(before({ count: 0 })).toBeUndefined()
    expect(before({ count: 1, dollars: range, seconds: { low: 90, high: 3_700 } })).toBe(
      '  before   $0.75 to $1.5, 1m 30s to 1h 01m in 1 execution',
    )
    expect(before({ count: 3 })).toBe('  before   cost unknown in 3 executions')
  })

  test('of a codon stand beside what it took, with limits and without', async () => {
    const hank = { hank: [codon('a', { budget: { maxDollars: 1 } }), codon('b'), codon('c')] }
    const codons = new Map([
      ['a', { count: 5, executions: 3, dollars: { low: 0.25, high: 0.75 } }],
      ['b', { count: 1, executions: 1 }],
    ])
    const lines = budgetLines(await planOf({ 'hank.json': hank }), { executions: { count: 0 }, codons })
    expect(lines.slice(0, 8)).toEqual([
      'Budgets',
      '  The whole hank  no limit',
      '  Codon 1 (a)     $1                     its own cap',
      '                  observed $0.25–$0.75   over 3 executions',
      '  Codon 2 (b)     no limit',
      '                  observed unknown cost  over 1 execution',
      '  Codon 3 (c)     no limit',
      '',
    ])
  })

  test('are shown for a hank with mistakes too, and not for one that cannot be read', async () => {
    const unknown = await planOf({ 'hank.json': { hank: [codon('a', { model: 'no-such-model' })] } })
    expect(forecastOf(unknown).dollars).toEqual({
      kind: 'unbounded',
      reasons: ['Codon 1 (a) uses no-such-model, whose price is not known'],
    })
  })
})
