import { expect, it } from 'vitest'
import {
  codonOf,
  contextLoopOf,
  hankOf,
  loopOf,
  nextCodonOf,
} from '../../../../../test/support/hank-builder.ts'
import { type CheckContext, problemsOf } from '../../../src/hank/checks/check.ts'
import { rules } from '../../../src/hank/checks/rules.ts'
import { type Codon, type HankFile, hankFile } from '../../../src/hank/schema.ts'
import type { Problem } from '../../../src/kit/index.ts'
import { contextOf } from './problems.ts'

async function checkAll(hank: HankFile, context: Partial<CheckContext> = {}): Promise<readonly Problem[]> {
  return problemsOf(rules, hank, contextOf(context))
}

it('has nothing to say about a hank that is fine', async () => {
  const hank = hankOf(
    [
      codonOf('a'),
      nextCodonOf('b', { rigSetup: [{ type: 'copy', copy: { from: 'rig', to: 'rig' } }] }),
      loopOf('l', [codonOf('c'), nextCodonOf('d')]),
      contextLoopOf('m', [nextCodonOf('e')]),
      codonOf('f', { outputFiles: [{ copy: ['*.md'] }] }),
    ],
    { meta: { name: 'Fine', version: '1.0.0' }, requirements: { env: ['HOME'] } },
  )
  expect(hankFile.safeParse(hank).success).toBe(true)
  expect(await checkAll(hank, { environment: { HOME: '/' } })).toEqual([])
})

it('tells everything that is wrong at once, not only the first', async () => {
  const wrong = codonOf('a', { promptText: undefined, model: undefined, retryConfig: {} })
  const hank = hankOf([wrong, codonOf('a'), nextCodonOf('b', { model: 'haiku' })], {
    requirements: { env: ['MISSING'] },
  })
  const errors = (await checkAll(hank)).filter(({ severity }) => severity === 'error')
  expect(errors.map(({ where }) => where)).toEqual([
    'requirements.env[0]',
    'hank[1].id',
    'hank[0]',
    'hank[0]',
    'hank[2].model',
    'hank[0].retryConfig',
  ])
})

/** One codon with something for every rule. */
function troublesome(id: string): Codon {
  return nextCodonOf(id, {
    name: 'Same',
    model: `model-${id}`,
    checkpointedFiles: undefined,
    onFailure: 'ignore',
    promptFile: `prompts/${id}.md`,
    exhaustWithPrompt: 'Go on.',
    archiveOnSuccess: [`other/${id}/**`],
    rigSetup: [
      { type: 'copy', copy: { from: 'rig', to: 'src' } },
      { type: 'copy', copy: { from: 'rig', to: `src/a/b/${id}` } },
      { type: 'command', command: { run: `cd ~ && rm -rf * ; sh -c "rm -rf / ${id}"` } },
    ],
    budget: { maxDollars: 5, maxTimeSeconds: 9, onExceeded: 'fail' },
  })
}

function manyCodons(count: number): HankFile {
  const ids = Array.from({ length: count }, (_, at) => `codon-${at}`)
  const half = count / 2
  const codons = ids.map(troublesome)
  const shares = Object.fromEntries(ids.slice(0, half).map(id => [`${id}x`, 1 / count]))
  return hankOf(
    [...codons.slice(0, half), loopOf('l', codons.slice(half), { budget: { maxTimeSeconds: 1 } })],
    {
      overrides: { budget: { maxDollars: 4, maxTimeSeconds: 9, allocation: 'proportional', shares } },
    },
  )
}

/** The best of three, since the machine has other things to do. */
async function secondsFor(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const started = performance.now()
    await work()
    best = Math.min(best, performance.now() - started)
  }
  return best / 1_000
}

it('checks 10,000 codons in well under a second', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `codon-${at}`)
  const rigSetup = [{ type: 'command', command: { run: 'npm ci && npm run build' } } as const]
  const hank = hankOf(
    ids.map((id, at) =>
      at % 2 === 0 ? codonOf(id) : nextCodonOf(id, { rigSetup, budget: { maxDollars: 1 } }),
    ),
    { overrides: { budget: { maxDollars: 100 } } },
  )
  expect(await checkAll(hank)).toEqual([])
  expect(await secondsFor(() => checkAll(hank))).toBeLessThan(1)
})

it('takes eight times as long for eight times as many codons that break every rule, not the square of it', async () => {
  const context = { priceOf: () => undefined }
  const few = manyCodons(250)
  const many = manyCodons(2_000)
  expect((await checkAll(many, context)).length).toBeGreaterThan(8 * 2_000)
  const forFew = await secondsFor(() => checkAll(few, context))
  expect(await secondsFor(() => checkAll(many, context))).toBeLessThan(30 * forFew)
})
