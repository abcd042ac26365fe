import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codon, type Json, loadValue, loop, sentinel, told } from './fixture.ts'

/** The messages about one unknown field of a codon that is otherwise right. */
async function inCodon(...fields: readonly string[]): Promise<readonly string[]> {
  const loaded = await loadValue({ hank: [codon(Object.fromEntries(fields.map(field => [field, 'x'])))] })
  return loaded.problems.map(problem => problem.message)
}

function meaning(meant: string): (field: string) => string {
  return field => `Unknown field ${field}. Did you mean ${meant}? Valid codon fields: ${codonFields}`
}

describe('the typos of the specification, in a codon', () => {
  const row = async (meant: string, written: readonly string[]) => {
    expect(await inCodon(...written)).toEqual(written.map(meaning(meant)))
    for (const field of written) expect(await inCodon(field)).toEqual([meaning(meant)(field)])
  }

  verifies(['7.3/unknown-field-message', '7.3/typo-system-prompt'], 'system prompts', () =>
    row('appendSystemPromptFile or appendSystemPromptText', [
      'systemPromptFile',
      'systemPromptText',
      'systemPrompt',
    ]),
  )
  verifies(['7.3/typo-prompt'], 'prompts', () =>
    row('promptFile or promptText', ['prompt', 'prompts', 'promptFiles']),
  )
  verifies(['7.3/typo-checkpointed-files'], 'files to version', () =>
    row('checkpointedFiles', ['trackedFiles', 'tracking', 'tracked', 'watchedFiles', 'fileTracking']),
  )
  verifies(['7.3/typo-rig-setup'], 'the rig', () => row('rigSetup', ['rig', 'setup', 'preSetup']))
  verifies(['7.3/typo-archive-on-success'], 'the archive', () =>
    row('archiveOnSuccess', [
      'archiveRigs',
      'rigTeardown',
      'teardown',
      'archive',
      'cleanup',
      'archiveRig',
      'archiving',
      'archives',
    ]),
  )
  verifies(['7.3/typo-env'], 'the environment', () => row('env', ['environment', 'envVars']))
  verifies(['7.3/typo-output-files'], 'the outputs', () => row('outputFiles', ['outputs', 'output']))
  verifies(['7.3/typo-continuation-mode'], 'the continuation', () =>
    row('continuationMode', ['continuation', 'mode']),
  )
  verifies(['7.3/typo-max-dollars'], 'the money', () =>
    row('budget.maxDollars', ['costLimit', 'maxBudget', 'maxCost', 'maxDollars']),
  )
  verifies(['7.3/typo-max-time-seconds'], 'the time', () =>
    row('budget.maxTimeSeconds', ['maxDuration', 'maxDurationSeconds', 'maxTimeSeconds', 'timeLimit']),
  )
  verifies(['7.3/typo-max-output-tokens'], 'the tokens', () =>
    row('budget.maxOutputTokens', ['maxTokens', 'maxOutputTokens', 'tokenLimit']),
  )
})

const rootFields =
  '$schema, meta, overrides, requirements, globalSystemPromptFile, globalSystemPromptText, hank'
const codonFields =
  'type, id, name, description, model, continuationMode, promptFile, promptText, appendSystemPromptFile, appendSystemPromptText, rigSetup, checkpointedFiles, env, outputFiles, sentinels, archiveOnSuccess, onFailure, retryConfig, exhaustWithPrompt, maxExtensions, autoCompact, shimIdleTimeout, budget'
const loopFields = 'type, id, name, description, terminateOn, codons, budget, archiveOnSuccess'

async function refuses(hank: Json, message: string): Promise<void> {
  const loaded = await loadValue(hank)
  expect(told(loaded)).toEqual([message])
  expect(loaded.hank).toBeUndefined()
}

describe('any other unknown field', () => {
  verifies(
    ['7.3/unknown-field-lists-root-fields', '7.3/load-unknown-root-key', '2.1/unknown-root-key'],
    'at the root lists the fields of the root',
    async () => {
      await refuses({ hank: [codon()], zzz: 1 }, `: Unknown field zzz. Valid root fields: ${rootFields}`)
      await refuses(
        { hank: [codon()], globalSystemPromtText: '' },
        `: Unknown field globalSystemPromtText. Did you mean globalSystemPromptText or globalSystemPromptFile? Valid root fields: ${rootFields}`,
      )
    },
  )

  verifies(
    ['7.3/unknown-field-lists-codon-fields', '7.3/load-unknown-codon-key'],
    'in a codon lists the fields of a codon, also inside a loop',
    async () => {
      const message = `Unknown field zzz. Valid codon fields: ${codonFields}`
      await refuses({ hank: [codon({ zzz: 1 })] }, `hank[0]: ${message}`)
      await refuses({ hank: [loop({ codons: [codon({ zzz: 1 })] })] }, `hank[0].codons[0]: ${message}`)
    },
  )

  verifies(
    ['7.3/unknown-field-lists-loop-fields', '7.3/load-unknown-loop-key'],
    'in a loop lists the fields of a loop',
    () =>
      refuses({ hank: [loop({ zzz: 1 })] }, `hank[0]: Unknown field zzz. Valid loop fields: ${loopFields}`),
  )

  verifies(['7.3/codon-field-at-root'], 'that belongs into a codon is told so at the root', async () => {
    const valid = `Valid root fields: ${rootFields}`
    const hint = 'It is a codon field: move it into a codon'
    await refuses({ hank: [codon()], promptFile: 'x' }, `: Unknown field promptFile. ${hint}. ${valid}`)
    await refuses({ hank: [codon()], rigSetup: [] }, `: Unknown field rigSetup. ${hint}. ${valid}`)
    await refuses(
      { hank: [codon()], model: 'haiku' },
      `: Unknown field model. ${hint}, or write overrides.model for all codons. ${valid}`,
    )
  })

  test.each<[string, Json, string]>([
    [
      'a typo of a codon field at the root',
      { hank: [codon()], maxCost: 1 },
      `: Unknown field maxCost. Did you mean budget.maxDollars? It is a codon field: move it into a codon, or write overrides.budget.maxDollars for all codons. Valid root fields: ${rootFields}`,
    ],
    [
      'a system prompt at the root',
      { hank: [codon()], systemPrompt: 1 },
      `: Unknown field systemPrompt. Did you mean appendSystemPromptFile or appendSystemPromptText? They are codon fields: move it into a codon, or write globalSystemPromptFile or globalSystemPromptText for all codons. Valid root fields: ${rootFields}`,
    ],
    [
      'a loop field at the root',
      { hank: [codon()], terminateOn: {} },
      `: Unknown field terminateOn. It is a loop field: move it into a loop. Valid root fields: ${rootFields}`,
    ],
    [
      'a codon field on a loop',
      { hank: [loop({ promptFile: 'x' })] },
      `hank[0]: Unknown field promptFile. It is a codon field: move it into a codon of this loop. Valid loop fields: ${loopFields}`,
    ],
    [
      'a typo on a loop',
      { hank: [loop({ cleanup: [] })] },
      `hank[0]: Unknown field cleanup. Did you mean archiveOnSuccess? Valid loop fields: ${loopFields}`,
    ],
    [
      'a root field in a codon',
      { hank: [codon({ requirements: {} })] },
      `hank[0]: Unknown field requirements. It is a root field: move it to the root of the file. Valid codon fields: ${codonFields}`,
    ],
    [
      'an unnested ceiling in overrides',
      { hank: [codon()], overrides: { maxDollars: 1 } },
      'overrides: Unknown field maxDollars. Did you mean budget.maxDollars? Valid fields of overrides: model, dataHashTimeLimit, sentinel, shimIdleTimeout, budget',
    ],
    [
      'a typo inside a budget',
      { hank: [codon({ budget: { maxCost: 1 } })] },
      'hank[0].budget: Unknown field maxCost. Did you mean maxDollars? Valid fields of budget: maxDollars, maxTimeSeconds, maxOutputTokens, maxContextTokens, onExceeded',
    ],
    [
      'another case',
      { hank: [codon({ PromptText: 'x' })] },
      `hank[0]: Unknown field PromptText. Did you mean promptText? Valid codon fields: ${codonFields}`,
    ],
    [
      'a key that is no name',
      { hank: [codon({ 'a b\n': 'x' })] },
      `hank[0]: Unknown field "a b\\n". Valid codon fields: ${codonFields}`,
    ],
  ])('%s gets its hint', (_, hank, message) => refuses(hank, message))
})

describe('objects inside a hank are strict, too', () => {
  const copy = { type: 'copy', copy: { from: 'a', to: 'b' } }
  const refusesIn = async (hank: Json, where: string, fields: string) => {
    const short = where.replace(/^hank\[0\]\./, '')
    await refuses(hank, `${where}: Unknown field zzz. Valid fields of ${short}: ${fields}`)
  }
  const zzz = { zzz: 1 }

  verifies(['d8a/strict-meta'], 'meta', () =>
    refusesIn(
      { meta: { name: 'a', version: '1.0.0', ...zzz }, hank: [codon()] },
      'meta',
      'name, version, description, author',
    ),
  )
  verifies(['d8a/strict-overrides', 'd3/overrides-limited'], 'overrides', () =>
    refusesIn(
      { overrides: zzz, hank: [codon()] },
      'overrides',
      'model, dataHashTimeLimit, sentinel, shimIdleTimeout, budget',
    ),
  )
  verifies(['d8a/strict-requirements'], 'requirements', () =>
    refusesIn({ requirements: zzz, hank: [codon()] }, 'requirements', 'env'),
  )
  verifies(['d8a/strict-budget'], 'budget', async () => {
    const capFields = 'maxDollars, maxTimeSeconds, maxOutputTokens, maxContextTokens, onExceeded'
    await refusesIn({ hank: [codon({ budget: zzz })] }, 'hank[0].budget', capFields)
    const sharedFields = 'maxDollars, maxTimeSeconds, allocation, shares, onExceeded'
    await refusesIn({ hank: [loop({ budget: zzz })] }, 'hank[0].budget', sharedFields)
    await refusesIn({ overrides: { budget: zzz }, hank: [codon()] }, 'overrides.budget', sharedFields)
  })
  verifies(['d8a/strict-retry-config'], 'retryConfig', () =>
    refusesIn(
      { hank: [codon({ onFailure: 'retry', retryConfig: zzz })] },
      'hank[0].retryConfig',
      'maxAttempts, delayMs, maxDelayMs',
    ),
  )
  verifies(['d8a/strict-rig'], 'rig items', async () => {
    const rig = (item: Json) => ({ hank: [codon({ rigSetup: [item] })] })
    await refusesIn(rig({ ...copy, ...zzz }), 'hank[0].rigSetup[0]', 'type, copy, allowFailure')
    await refusesIn(
      rig({ type: 'copy', copy: { from: 'a', to: 'b', ...zzz } }),
      'hank[0].rigSetup[0].copy',
      'from, to',
    )
    await refusesIn(
      rig({ type: 'command', command: { run: 'true' }, ...zzz }),
      'hank[0].rigSetup[0]',
      'type, command, allowFailure',
    )
    await refusesIn(
      rig({ type: 'command', command: { run: 'true', ...zzz } }),
      'hank[0].rigSetup[0].command',
      'run, workingDirectory',
    )
  })
  verifies(['d8a/strict-output', 'd8a/before-copy-allow-failure'], 'output items', async () => {
    const output = (item: Json) => ({ hank: [codon({ outputFiles: [item] })] })
    await refusesIn(output({ copy: ['a'], ...zzz }), 'hank[0].outputFiles[0]', 'copy, beforeCopy')
    const before = { type: 'command', command: { run: 'true' }, allowFailure: true }
    await refuses(
      output({ copy: ['a'], beforeCopy: [before] }),
      'hank[0].outputFiles[0].beforeCopy[0]: Unknown field allowFailure. Valid fields of outputFiles[0].beforeCopy[0]: type, command',
    )
  })
  verifies(['d8a/strict-attachment'], 'sentinel attachments', () =>
    refusesIn(
      { hank: [codon({ sentinels: [{ sentinelConfig: sentinel(), ...zzz }] })] },
      'hank[0].sentinels[0]',
      'sentinelConfig, settings',
    ),
  )
  verifies(['d8a/strict-everywhere'], 'everything else', async () => {
    const attached = (settings: Json) => ({
      hank: [codon({ sentinels: [{ sentinelConfig: sentinel(), settings }] })],
    })
    await refusesIn(
      { hank: [loop({ terminateOn: { type: 'contextExceeded', ...zzz } })] },
      'hank[0].terminateOn',
      'type',
    )
    await refusesIn(
      { hank: [loop({ terminateOn: { type: 'iterationLimit', limit: 1, ...zzz } })] },
      'hank[0].terminateOn',
      'type, limit',
    )
    await refusesIn(
      { overrides: { sentinel: zzz }, hank: [codon()] },
      'overrides.sentinel',
      'enablePersistence, healthCheckGracePeriodMs, waitForAllHealthChecks',
    )
    const settings = 'hank[0].sentinels[0].settings'
    await refusesIn(attached(zzz), settings, 'failCodonIfNotLoaded, outputPaths, reportToWebsocket')
    await refusesIn(attached({ outputPaths: zzz }), `${settings}.outputPaths`, 'logFile, lastValueFile')
    await refusesIn(
      attached({ reportToWebsocket: zzz }),
      `${settings}.reportToWebsocket`,
      'lifecycle, errors, outputs, triggers',
    )
  })
  verifies(
    [
      'd8a/budget-where',
      '2.6/max-output-tokens-codon-only',
      '2.6/max-context-tokens-codon-only',
      '2.6/allocation-levels',
      '2.6/shares-levels',
    ],
    'a budget field outside its place says where it belongs',
    async () => {
      const allocations = { allocation: 'proportional', shares: { draft: 1 } }
      const caps = { maxOutputTokens: 1, maxContextTokens: 1 }
      const about = async (hank: Json) => (await loadValue(hank)).problems.map(({ message }) => message)
      const onlyCodon = 'It is allowed only in the budget of a codon.'
      for (const hank of [
        { overrides: { budget: caps }, hank: [codon()] },
        { hank: [loop({ budget: caps })] },
      ]) {
        const messages = await about(hank)
        expect(messages.map(message => message.split(' Valid ')[0])).toEqual([
          `Unknown field maxOutputTokens. ${onlyCodon}`,
          `Unknown field maxContextTokens. ${onlyCodon}`,
        ])
      }
      const elsewhere = 'It is allowed only in the budget of a loop or of overrides.'
      const messages = await about({ hank: [codon({ budget: allocations })] })
      expect(messages.map(message => message.split(' Valid ')[0])).toEqual([
        `Unknown field allocation. ${elsewhere}`,
        `Unknown field shares. ${elsewhere}`,
      ])
      expect(await about({ hank: [codon({ budget: caps })] })).toEqual([])
      const loaded = await loadValue({ overrides: { budget: allocations }, hank: [codon()] })
      expect(loaded.hank).toBeDefined()
      const shared = { allocation: 'proportional', shares: { inner: 1 } }
      expect((await loadValue({ hank: [loop({ budget: shared })] })).hank).toBeDefined()
    },
  )
})
