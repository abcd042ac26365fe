import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonOf, contextLoopOf, hankOf, loopOf } from '../../../../test/support/hank-builder.ts'
import type { Codon, HankFile } from '../../src/hank/index.ts'
import type { PlanOptions } from '../../src/plan/build.ts'
import { buildPlan, type PlannedCodon, type PlannedModel } from '../../src/plan/index.ts'

const sdk: PlannedModel = {
  id: 'claude-x',
  provider: 'anthropic',
  harness: 'sdk',
  identity: 'sdk:anthropic/claude-x',
  contextWindow: 200_000,
}
const embedded: PlannedModel = {
  id: 'gpt-x',
  provider: 'openai',
  harness: 'embedded',
  identity: 'embedded:openai/gpt-x',
  contextWindow: 400_000,
}

const build = (hank: HankFile, options: Partial<PlanOptions> = {}) =>
  buildPlan(
    { hank, path: '/hanks/demo/my-hank.json', directory: '/hanks/demo' },
    { modelOf: () => embedded, ...options },
  )

function planned(fields: Partial<Codon> = {}, options: Partial<PlanOptions> = {}): PlannedCodon {
  const [item] = build(hankOf([codonOf('a', fields)]), options).items
  if (item?.kind !== 'codon') throw new Error('expected a codon')
  return item
}

describe('a codon', () => {
  verifies(
    [
      '2.3/retry-max-attempts-default',
      '2.3/retry-delay-default',
      'd8/retry-max-delay-default',
      '2.3/max-extensions-default',
      '2.3/auto-compact-default',
      '2.3/on-failure-default',
      '9/release-0.8.0-auto-compact',
      '8/retry-attempts',
      '8/retry-delay',
      '8/max-extensions',
    ],
    'has every default, and only what the hank says besides',
    () => {
      const plain = {
        id: 'a',
        name: 'A',
        model: 'x',
        continuationMode: 'fresh',
        promptText: 'Do it.',
      } as const
      expect(build({ hank: [plain] }).items).toEqual([
        {
          kind: 'codon',
          id: 'a',
          name: 'A',
          model: embedded,
          continuation: 'fresh',
          prompt: { text: 'Do it.' },
          maxExtensions: 100,
          autoCompact: false,
          idleTimeoutMs: 120_000,
          rig: [],
          checkpointedFiles: [],
          env: {},
          outputFiles: [],
          archiveOnSuccess: [],
          onFailure: 'abort',
          retry: { maxAttempts: 3, delayMs: 1_000, maxDelayMs: 60_000 },
        },
      ])
    },
  )

  test('keeps what the hank says', () => {
    const rig = [{ type: 'command', command: { run: 'npm ci', workingDirectory: 'project' } }] as const
    const fields: Partial<Codon> = {
      description: 'what it is for',
      continuationMode: 'continue-previous',
      exhaustWithPrompt: 'on',
      maxExtensions: 7,
      autoCompact: true,
      rigSetup: rig,
      checkpointedFiles: ['src/**'],
      env: { A: 'b' },
      archiveOnSuccess: ['notes/*'],
      onFailure: 'retry',
      retryConfig: { maxAttempts: 9, delayMs: 0, maxDelayMs: 5 },
      budget: { maxDollars: 2 },
    }
    expect(planned(fields)).toMatchObject({
      description: 'what it is for',
      continuation: 'continue-previous',
      exhaustWithPrompt: 'on',
      maxExtensions: 7,
      autoCompact: true,
      rig,
      checkpointedFiles: ['src/**'],
      env: { A: 'b' },
      archiveOnSuccess: ['notes/*'],
      onFailure: 'retry',
      retry: { maxAttempts: 9, delayMs: 0, maxDelayMs: 5 },
      budget: { maxDollars: 2 },
    })
  })

  test.each<[string, Codon['retryConfig'], PlannedCodon['retry']]>([
    ['nothing', undefined, { maxAttempts: 3, delayMs: 1_000, maxDelayMs: 60_000 }],
    ['attempts', { maxAttempts: 1 }, { maxAttempts: 1, delayMs: 1_000, maxDelayMs: 60_000 }],
    ['a delay of 0', { delayMs: 0 }, { maxAttempts: 3, delayMs: 0, maxDelayMs: 60_000 }],
    ['a cap of 0', { maxDelayMs: 0 }, { maxAttempts: 3, delayMs: 1_000, maxDelayMs: 0 }],
  ])('retries, told %s', (_, retryConfig, retry) => {
    expect(planned({ onFailure: 'retry', ...(retryConfig && { retryConfig }) }).retry).toEqual(retry)
  })
})

describe('the idle timeout', () => {
  verifies(
    [
      '2.3/shim-idle-timeout-sdk-fallback',
      '2.3/shim-idle-timeout-embedded-fallback',
      '8/shim-idle-timeout-fallback',
    ],
    'is 180 s for the SDK harness and 120 s for the embedded one',
    () => {
      expect(planned({}, { modelOf: () => sdk }).idleTimeoutMs).toBe(180_000)
      expect(planned({}, { modelOf: () => embedded }).idleTimeoutMs).toBe(120_000)
    },
  )

  test.each<[number | undefined, number | undefined, number]>([
    [undefined, 30, 30_000],
    [10, undefined, 10_000],
    [10, 30, 10_000],
    [1_800, 1, 1_800_000],
  ])('of a codon that says %s, where the settings say %s, is %i ms', (own, setting, expected) => {
    const fields = own === undefined ? {} : { shimIdleTimeout: own }
    expect(planned(fields, { modelOf: () => sdk, shimIdleTimeout: setting }).idleTimeoutMs).toBe(expected)
  })
})

describe('the model', () => {
  const { model: _, ...bare } = codonOf('c')
  const hank = {
    ...hankOf([codonOf('a', { model: 'x' }), loopOf('l', [codonOf('b', { model: 'y' }), bare])]),
    overrides: { model: 'z' },
  }
  const named = (name: string): PlannedModel => ({ ...sdk, id: name, maxOutputTokens: 9, prices })
  const prices = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, source: 'here' }
  const idsOf = (options: Partial<PlanOptions>) =>
    build(hank, options).items.flatMap(item =>
      item.kind === 'loop' ? item.codons.map(codon => codon.model.id) : [item.model.id],
    )

  test('is the override, else the own, else the fallback of the hank, in loops too', () => {
    expect(idsOf({ modelOf: named })).toEqual(['x', 'y', 'z'])
    expect(idsOf({ modelOf: named, modelOverride: 'o' })).toEqual(['o', 'o', 'o'])
  })

  test('goes into the plan with its price and limits, and without anything else', () => {
    const more = { ...named('x'), name: 'for people' }
    expect(planned({}, { modelOf: () => more }).model).toEqual(named('x'))
    expect(planned({}, { modelOf: () => embedded }).model).toEqual(embedded)
  })

  test('that nobody knows is planned by its name, without a price', () => {
    const unknown = { id: 'x', provider: '', harness: 'embedded', identity: 'x' }
    expect(planned({ model: 'x' }, { modelOf: () => undefined }).model).toEqual(unknown)
  })
})

describe('texts', () => {
  test.each<[string, Partial<Codon>, Partial<PlannedCodon>]>([
    ['a text', { promptText: 'Do.' }, { prompt: { text: 'Do.' } }],
    ['one file', { promptFile: 'p.md' }, { prompt: { files: ['p.md'] } }],
    ['several files', { promptFile: ['p.md', 'q.md'] }, { prompt: { files: ['p.md', 'q.md'] } }],
    ['a file and a text', { promptFile: 'p.md', promptText: 'Do.' }, { prompt: { files: ['p.md'] } }],
    ['an appended file', { appendSystemPromptFile: 's.md' }, { appendSystemPrompt: { files: ['s.md'] } }],
    [
      'an appended text',
      { appendSystemPromptText: 'Be kind.' },
      { appendSystemPrompt: { text: 'Be kind.' } },
    ],
  ])('%s', (_, fields, expected) => {
    expect(planned(fields)).toMatchObject(expected)
  })

  test('the system prompt of the whole hank', () => {
    expect(build(hankOf([codonOf('a')])).globalSystemPrompt).toBe(undefined)
    expect(build(hankOf([codonOf('a')], { globalSystemPromptFile: ['g.md'] })).globalSystemPrompt).toEqual({
      files: ['g.md'],
    })
    expect(build(hankOf([codonOf('a')], { globalSystemPromptText: 'g' })).globalSystemPrompt).toEqual({
      text: 'g',
    })
  })
})

describe('a plan', () => {
  test('knows its hank by name or by file, and where its files lie', () => {
    expect(build(hankOf([codonOf('a')]))).toMatchObject({ hankName: 'my-hank', hankDir: '/hanks/demo' })
    const named = hankOf([codonOf('a')], { meta: { name: 'Nice', version: '1.0.0' } })
    expect(build(named).hankName).toBe('Nice')
  })

  verifies(['9/meta-version-free'], 'is the same whatever version its author gives it', () => {
    const versioned = (version: string) => build(hankOf([codonOf('a')], { meta: { name: 'Nice', version } }))
    for (const version of ['0.0.1', '99.1.0-rc.1+build'])
      expect(versioned(version)).toEqual(versioned('1.0.0'))
  })

  test('has loops of both kinds', () => {
    const limited = loopOf('fix', [codonOf('b')], {
      terminateOn: { type: 'iterationLimit', limit: 4 },
      archiveOnSuccess: ['x'],
      description: 'until it works',
    })
    const [first, second] = build(hankOf([limited, contextLoopOf('read', [codonOf('c')])])).items
    expect(first).toMatchObject({
      kind: 'loop',
      id: 'fix',
      limit: 4,
      archiveOnSuccess: ['x'],
      description: 'until it works',
      codons: [{ id: 'b' }],
    })
    expect(second).toMatchObject({ kind: 'loop', id: 'read', limit: null, budget: { maxDollars: 1 } })
  })

  test('has the budget of the whole hank, and ceilings only when there are some', () => {
    const budget = { maxDollars: 5, allocation: 'proportional', shares: { a: 0.5 } } as const
    const plain = build(hankOf([codonOf('a')]))
    expect(plain).not.toHaveProperty('budget')
    expect(plain).not.toHaveProperty('ceilings')
    expect(build(hankOf([codonOf('a')], { overrides: { budget } })).budget).toEqual(budget)
    expect(build(hankOf([codonOf('a')]), { ceilings: {} })).not.toHaveProperty('ceilings')
  })

  test('has the ceilings of flags and runtime file with their origin, without those that are its own', () => {
    const hank = hankOf([codonOf('a')], { overrides: { budget: { maxDollars: 5 } } })
    const time = { value: 60, origin: 'weave.json' } as const
    const dollars = { value: 3, origin: '--max-cost' } as const
    expect(build(hank, { ceilings: { maxDollars: dollars, maxTimeSeconds: time } }).ceilings).toEqual({
      maxDollars: dollars,
      maxTimeSeconds: time,
    })
    const own = { maxDollars: { value: 5, origin: 'hank overrides' }, maxTimeSeconds: time } as const
    expect(build(hank, { ceilings: own }).ceilings).toEqual({ maxTimeSeconds: time })
    const onlyOwn = { maxTimeSeconds: { value: 5, origin: 'hank overrides' } } as const
    expect(build(hank, { ceilings: onlyOwn })).not.toHaveProperty('ceilings')
  })

  test('is plain data: it survives the journal unchanged', () => {
    const plan = build(hankOf([codonOf('a'), loopOf('l', [codonOf('b')])]))
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan)
  })
})
