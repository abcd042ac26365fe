import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { loadHank } from '../../src/hank/checks/load.ts'
import { codon, contextIn, directoryWith, type Json, loadValue, loop, sentinel, told } from './fixture.ts'

async function accepts(...hanks: readonly unknown[]): Promise<void> {
  for (const hank of hanks) {
    const { problems, hank: loaded } = await loadValue(hank, { 'a.md': 'Hello.', 'b.md': 'Hi.' })
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(loaded).toEqual(hank)
  }
}

/** Each hank has exactly these problems, in this order. */
async function refuses(...cases: readonly (readonly [unknown, ...(readonly string[])])[]): Promise<void> {
  for (const [hank, ...messages] of cases) {
    const loaded = await loadValue(hank)
    expect(told(loaded)).toEqual(messages)
    expect(loaded.hank).toBeUndefined()
  }
}

const withCodon = (more: Json) => ({ hank: [codon(more)] })
const withLoop = (more: Json) => ({ hank: [loop(more)] })
const withRoot = (more: Json) => ({ ...more, hank: [codon()] })
const without = (value: Json, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))

const text = 'expected a string, found 1'
const missing = 'is missing; expected a non-empty string'
const empty = 'expected a non-empty string, found an empty string'
const oneOrMany = 'expected a non-empty string or a non-empty list of strings'

describe('the root', () => {
  verifies(['2.1/only-hank-required', '8/hank-length'], 'needs nothing but hank with one item', async () => {
    await accepts({ hank: [codon()] })
    await refuses([{ hank: [] }, 'hank: expected a non-empty list, found an empty list'])
  })
  verifies(['2.1/hank-missing', '2.1/hank-not-empty'], 'without hank does not load', () =>
    refuses(
      [{}, 'hank: is missing; expected a non-empty list'],
      [{ hank: [] }, 'hank: expected a non-empty list, found an empty list'],
      [{ hank: {} }, 'hank: expected a non-empty list, found an object'],
      [[], ': expected an object, found an empty list. The root is an object: put the list under "hank".'],
      ['null', ': expected an object, found null'],
    ),
  )
  verifies(
    ['2.1/hank-items', '2.7/type', '2.3/type-enum', '2.3/type-default'],
    'holds codons and loops',
    async () => {
      await accepts({ hank: [codon(), loop()] }, withCodon({ type: 'codon' }))
      const loaded = await loadValue({ hank: [codon(), loop()] })
      expect(loaded.counts).toEqual({ codons: 2, loops: 1 })
      await refuses(
        [{ hank: [3] }, 'hank[0]: expected an object, found 3'],
        [withCodon({ type: 'step' }), 'hank[0].type: expected one of "codon", "loop", found "step"'],
        [
          { hank: [without(loop(), 'type')] },
          'hank[0].type: is missing; an item with codons needs "type": "loop"',
        ],
        [
          { hank: [loop({ codons: [codon({ type: 'step' })] })] },
          'hank[0].codons[0].type: expected "codon", found "step"',
        ],
      )
    },
  )
  verifies(['2.1/schema-field-accepted', '9/schema-address-tag'], 'takes any schema address', async () => {
    await accepts(
      withRoot({ $schema: 'https://unpkg.com/weave-runtime@0.10.0/schemas/hank.schema.json' }),
      withRoot({ $schema: 'https://unpkg.com/weave-runtime@latest/schemas/hank.schema.json' }),
    )
    await refuses([withRoot({ $schema: 1 }), `$schema: ${text}`])
  })
  verifies(
    [
      '2.1/meta-name-required',
      '2.1/meta-version-required',
      '2.1/meta-description-optional',
      '2.1/meta-author-optional',
    ],
    'takes meta with name and version',
    async () => {
      const meta = { name: 'A', version: '1.2.3' }
      await accepts(withRoot({ meta }), withRoot({ meta: { ...meta, description: 'B', author: 'C' } }))
      await refuses(
        [withRoot({ meta: { version: '1.0.0' } }), 'meta.name: is missing; expected a string'],
        [withRoot({ meta: { name: 'A' } }), 'meta.version: is missing; expected a string'],
        [withRoot({ meta: { ...meta, name: 1 } }), `meta.name: ${text}`],
        [withRoot({ meta: { ...meta, description: 1 } }), `meta.description: ${text}`],
        [withRoot({ meta: { ...meta, author: 1 } }), `meta.author: ${text}`],
      )
    },
  )
  verifies(['2.1/requirements-env-type'], 'takes names of required variables', async () => {
    const hank = withRoot({ requirements: { env: ['A', 'B'] } })
    const dir = await directoryWith({ 'hank.json': hank })
    const loaded = await loadHank(dir, { ...contextIn(dir), environment: { A: '1', B: '2' } })
    expect(loaded.hank).toEqual(hank)
    await refuses(
      [
        withRoot({ requirements: { env: 'A' } }),
        'requirements.env: expected a list of strings, found "A". Write ["A"].',
      ],
      [withRoot({ requirements: { env: [1] } }), 'requirements.env[0]: expected a non-empty string, found 1'],
    )
  })
  verifies(['2.2/data-hash-time-limit-positive'], 'takes a positive time limit for hashing', async () => {
    await accepts(withRoot({ overrides: { dataHashTimeLimit: 0.5 } }))
    await refuses([
      withRoot({ overrides: { dataHashTimeLimit: 0 } }),
      'overrides.dataHashTimeLimit: expected a number above 0, found 0',
    ])
  })
  verifies(['2.4/no-output-directory-in-hank'], 'has no place for an output directory', async () => {
    for (const hank of [
      withRoot({ outputDirectory: 'x' }),
      withRoot({ overrides: { outputDirectory: 'x' } }),
      withCodon({ outputDirectory: 'x' }),
      withLoop({ outputDirectory: 'x' }),
    ]) {
      const [message = '', ...others] = told(await loadValue(hank))
      expect(message).toContain('Unknown field outputDirectory.')
      expect(others).toEqual([])
    }
  })
})

describe('a codon', () => {
  verifies(
    ['2.3/id-required', '2.3/id-not-empty', '2.3/name-required', '2.3/name-not-empty'],
    'has id and name',
    () =>
      refuses(
        [{ hank: [without(codon(), 'id')] }, `hank[0].id: ${missing}`],
        [withCodon({ id: '' }), `hank[0].id: ${empty}`],
        [{ hank: [without(codon(), 'name')] }, `hank[0].name: ${missing}`],
        [withCodon({ name: '' }), `hank[0].name: ${empty}`],
      ),
  )
  verifies(
    ['2.3/description-optional', '2.3/model-not-empty'],
    'may have a description and a model',
    async () => {
      await accepts(withCodon({ description: 'x' }))
      await refuses(
        [withCodon({ description: 1 }), `hank[0].description: ${text}`],
        [withCodon({ model: '' }), `hank[0].model: ${empty}`],
      )
    },
  )
  verifies(
    ['2.3/continuation-mode-required', '2.3/continuation-mode-enum'],
    'says how it continues',
    async () => {
      const expected = 'expected one of "fresh", "continue-previous"'
      await accepts({ hank: [codon(), codon({ id: 'b', name: 'B', continuationMode: 'continue-previous' })] })
      await refuses(
        [
          { hank: [without(codon(), 'continuationMode')] },
          `hank[0].continuationMode: is missing; ${expected}`,
        ],
        [
          withCodon({ continuationMode: 'Fresh' }),
          `hank[0].continuationMode: ${expected}, found "Fresh". Did you mean "fresh"?`,
        ],
      )
    },
  )
  verifies(
    ['2.3/prompt-file-string-or-list', '2.3/append-prompt-file-string-or-list'],
    'names prompt files, one or several',
    async () => {
      for (const field of ['promptFile', 'appendSystemPromptFile']) {
        await accepts(withCodon({ [field]: 'a.md' }), withCodon({ [field]: ['a.md', 'b.md'] }))
      }
      await refuses(
        [withCodon({ promptFile: 1 }), `hank[0].promptFile: ${oneOrMany}, found 1`],
        [withCodon({ promptFile: [] }), `hank[0].promptFile: ${oneOrMany}, found an empty list`],
        [withCodon({ promptFile: ['a', ''] }), `hank[0].promptFile[1]: ${empty}`],
        [
          withCodon({ appendSystemPromptFile: {} }),
          `hank[0].appendSystemPromptFile: ${oneOrMany}, found an object`,
        ],
      )
    },
  )
  verifies(['2.3/checkpointed-files-globs', 'd8a/not-empty-globs'], 'selects files by globs', async () => {
    await accepts(withCodon({ checkpointedFiles: ['src/**', '!src/tmp'] }))
    await refuses(
      [
        withCodon({ checkpointedFiles: 'src' }),
        'hank[0].checkpointedFiles: expected a list of strings, found "src". Write ["src"].',
      ],
      [withCodon({ checkpointedFiles: [''] }), `hank[0].checkpointedFiles[0]: ${empty}`],
      [withCodon({ archiveOnSuccess: [''] }), `hank[0].archiveOnSuccess[0]: ${empty}`],
      [withLoop({ archiveOnSuccess: [''] }), `hank[0].archiveOnSuccess[0]: ${empty}`],
      [withCodon({ outputFiles: [{ copy: [''] }] }), `hank[0].outputFiles[0].copy[0]: ${empty}`],
    )
  })
  verifies(['2.3/env-type'], 'sets variables to strings', async () => {
    await accepts(withCodon({ env: { A: '', 'odd name': 'x' } }))
    await refuses(
      [withCodon({ env: { A: 1 } }), 'hank[0].env.A: expected a string, found 1'],
      [withCodon({ env: ['A'] }), 'hank[0].env: expected an object, found a list'],
    )
  })
  verifies(['2.3/output-files-list', '2.4/output-copy-not-empty'], 'lists outputs', async () => {
    await accepts(withCodon({ outputFiles: [] }), withCodon({ outputFiles: [{ copy: ['a'] }] }))
    await refuses(
      [withCodon({ outputFiles: {} }), 'hank[0].outputFiles: expected a list of objects, found an object'],
      [
        withCodon({ outputFiles: [{ copy: [] }] }),
        'hank[0].outputFiles[0].copy: expected a non-empty list of strings, found an empty list',
      ],
      [
        withCodon({ outputFiles: [{}] }),
        'hank[0].outputFiles[0].copy: is missing; expected a non-empty list of strings',
      ],
    )
  })
  verifies(['2.3/sentinels-list', '2.5/config-path-or-inline'], 'lists sentinels', async () => {
    await accepts(withCodon({ sentinels: [{ sentinelConfig: sentinel() }] }))
    await refuses(
      [
        withCodon({ sentinels: sentinel() }),
        'hank[0].sentinels: expected a list of objects, found an object',
      ],
      [
        withCodon({ sentinels: [{ sentinelConfig: 1 }] }),
        'hank[0].sentinels[0].sentinelConfig: expected a non-empty string or an object, found 1',
      ],
      [
        withCodon({ sentinels: [{}] }),
        'hank[0].sentinels[0].sentinelConfig: is missing; expected a non-empty string or an object',
      ],
    )
  })
  verifies(['2.5/report-fields'], 'says what of a sentinel is reported', async () => {
    const reporting = (reportToWebsocket: Json) =>
      withCodon({ sentinels: [{ sentinelConfig: sentinel(), settings: { reportToWebsocket } }] })
    await accepts(reporting({ lifecycle: true, errors: false, outputs: true, triggers: false }))
    for (const field of ['lifecycle', 'errors', 'outputs', 'triggers']) {
      const where = `hank[0].sentinels[0].settings.reportToWebsocket.${field}`
      await refuses([reporting({ [field]: 'yes' }), `${where}: expected true or false, found "yes"`])
    }
  })
  verifies(['2.3/on-failure-enum'], 'says what a failure means', async () => {
    for (const onFailure of ['abort', 'retry', 'ignore']) await accepts(withCodon({ onFailure }))
    await refuses([
      withCodon({ onFailure: 'stop' }),
      'hank[0].onFailure: expected one of "abort", "retry", "ignore", found "stop"',
    ])
  })
  verifies(
    [
      '2.3/retry-max-attempts-range',
      '2.3/retry-delay-range',
      '2.3/retry-max-delay-accepted',
      '7.3/load-invalid-retry-config',
      'd8/retry-max-delay-range',
      '8/retry-attempts',
      '8/retry-delay',
    ],
    'retries within limits',
    async () => {
      const retry = (retryConfig: Json) => withCodon({ onFailure: 'retry', retryConfig })
      await accepts(
        retry({ maxAttempts: 1, delayMs: 0, maxDelayMs: 0 }),
        retry({ maxAttempts: 10, delayMs: 60_000, maxDelayMs: 600_000 }),
      )
      const attempts = 'hank[0].retryConfig.maxAttempts: expected a whole number from 1 to 10'
      const delay = 'hank[0].retryConfig.delayMs: expected a number from 0 to 60000'
      const most = 'hank[0].retryConfig.maxDelayMs: expected a whole number from 0 to 600000'
      await refuses(
        [retry({ maxAttempts: 0 }), `${attempts}, found 0`],
        [retry({ maxAttempts: 11 }), `${attempts}, found 11`],
        [retry({ delayMs: -1 }), `${delay}, found -1`],
        [retry({ delayMs: 60_001 }), `${delay}, found 60001`],
        [retry({ maxDelayMs: 600_001 }), `${most}, found 600001`],
        [retry({ maxDelayMs: -1 }), `${most}, found -1`],
        [retry({ maxDelayMs: 1.5 }), `${most}, found 1.5`],
      )
    },
  )
  verifies(
    ['2.3/max-extensions-type', '8/max-extensions'],
    'is extended a positive number of times',
    async () => {
      const expected = 'hank[0].maxExtensions: expected a whole number above 0'
      await accepts(withCodon({ maxExtensions: 1 }))
      await refuses(
        [withCodon({ maxExtensions: 0 }), `${expected}, found 0`],
        [withCodon({ maxExtensions: 1.5 }), `${expected}, found 1.5`],
      )
    },
  )
  verifies(
    [
      '2.3/shim-idle-timeout-integer',
      '2.3/shim-idle-timeout-max',
      '8/shim-idle-timeout',
      '9/release-0.8.0-shim-idle-timeout',
    ],
    'may be idle for 1 to 1800 seconds, as may all codons by an override',
    async () => {
      for (const [where, build] of [
        ['hank[0]', (shimIdleTimeout: number) => withCodon({ shimIdleTimeout })],
        ['overrides', (shimIdleTimeout: number) => withRoot({ overrides: { shimIdleTimeout } })],
      ] as const) {
        await accepts(build(1), build(1800))
        for (const wrong of [0, 1801, 1.5]) {
          const message = `${where}.shimIdleTimeout: expected a whole number from 1 to 1800, found ${wrong}`
          await refuses([build(wrong), message])
        }
      }
    },
  )
  verifies(
    ['2.4/rig-operation-types', '2.4/working-directory-enum'],
    'is prepared by copies and commands',
    async () => {
      const rig = (item: Json) => withCodon({ rigSetup: [item] })
      const command = (more: Json) => rig({ type: 'command', command: { run: 'true', ...more } })
      await accepts(command({}), command({ workingDirectory: 'project' }))
      await refuses(
        [rig({ type: 'move' }), 'hank[0].rigSetup[0].type: expected one of "copy", "command", found "move"'],
        [
          command({ workingDirectory: 'home' }),
          'hank[0].rigSetup[0].command.workingDirectory: expected one of "project", "lastCopied", found "home"',
        ],
      )
    },
  )
  verifies(
    ['d8a/not-empty-copy-from', 'd8a/not-empty-copy-to', 'd8a/not-empty-command', 'd8a/not-empty-names'],
    'has no empty path, command or name',
    () =>
      refuses(
        [
          withCodon({ rigSetup: [{ type: 'copy', copy: { from: '', to: '' } }] }),
          `hank[0].rigSetup[0].copy.from: ${empty}`,
          `hank[0].rigSetup[0].copy.to: ${empty}`,
        ],
        [
          withCodon({ rigSetup: [{ type: 'command', command: { run: '' } }] }),
          `hank[0].rigSetup[0].command.run: ${empty}`,
        ],
        [withCodon({ name: '' }), `hank[0].name: ${empty}`],
        [withLoop({ name: '' }), `hank[0].name: ${empty}`],
        [withRoot({ requirements: { env: [''] } }), `requirements.env[0]: ${empty}`],
      ),
  )
})

describe('a budget', () => {
  const levels: readonly (readonly [string, (budget: Json) => Json])[] = [
    ['overrides.budget', budget => withRoot({ overrides: { budget } })],
    ['hank[0].budget', budget => withLoop({ budget })],
    ['hank[0].budget', budget => withCodon({ budget })],
  ]

  verifies(
    [
      '2.6/max-dollars-levels',
      '2.6/max-time-seconds-levels',
      '2.6/on-exceeded-enum',
      '2.6/on-exceeded-levels',
      '2.7/budget-optional',
      '2.3/budget',
      'd8a/limits-positive',
      '8/budget-caps',
      '9/release-0.6.1',
    ],
    'limits money and time of the hank, a loop and a codon, and tokens of a codon',
    async () => {
      for (const [where, build] of levels) {
        await accepts(build({ maxDollars: 0.01, maxTimeSeconds: 0.5, onExceeded: 'fail' }))
        await accepts(build({ onExceeded: 'complete' }))
        await refuses(
          [
            build({ maxDollars: -0.01, maxTimeSeconds: -1, onExceeded: 'stop' }),
            `${where}.maxDollars: expected a number of at least 0, found -0.01`,
            `${where}.maxTimeSeconds: expected a number of at least 0, found -1`,
            `${where}.onExceeded: expected one of "complete", "fail", found "stop"`,
          ],
          [build({ maxDollars: '1' }), `${where}.maxDollars: expected a number of at least 0, found "1"`],
        )
      }
      await accepts(withCodon({ budget: { maxOutputTokens: 1, maxContextTokens: 1 } }))
      await refuses([
        withCodon({ budget: { maxOutputTokens: -1, maxContextTokens: 1.5 } }),
        'hank[0].budget.maxOutputTokens: expected a whole number of at least 0, found -1',
        'hank[0].budget.maxContextTokens: expected a whole number of at least 0, found 1.5',
      ])
    },
  )

  verifies(
    ['2.6/allocation-enum', '2.6/shares-type', 'd8a/shares-range', '8/shares'],
    'is shared among children by numbers from 0 to 1',
    async () => {
      const [hank, ofLoop] = levels
      for (const [id, level] of [
        ['draft', hank],
        ['inner', ofLoop],
      ] as const) {
        if (!level) continue
        const [where, build] = level
        for (const allocation of ['shared', 'proportional', 'proportional-strict']) {
          await accepts(build({ maxDollars: 1, allocation }))
        }
        await accepts(build({ maxDollars: 1, allocation: 'proportional', shares: { [id]: 1 } }))
        const expected = `${where}.shares.${id}: expected a number from 0 to 1`
        const shares = (share: unknown) => build({ allocation: 'proportional', shares: { [id]: share } })
        await refuses(
          [build({ allocation: 'equal' }), expect.stringContaining(`${where}.allocation: expected one of`)],
          [shares(-0.1), `${expected}, found -0.1`],
          [shares(1.01), `${expected}, found 1.01`],
          [shares('half'), `${expected}, found "half"`],
        )
      }
    },
  )
})

describe('a loop', () => {
  verifies(
    ['2.7/id-required', '2.7/name-required', '2.7/description-optional'],
    'has id and name',
    async () => {
      await accepts(withLoop({ description: 'x' }))
      await refuses(
        [{ hank: [without(loop(), 'id')] }, `hank[0].id: ${missing}`],
        [withLoop({ id: '' }), `hank[0].id: ${empty}`],
        [{ hank: [without(loop(), 'name')] }, `hank[0].name: ${missing}`],
        [withLoop({ name: '' }), `hank[0].name: ${empty}`],
        [withLoop({ description: 1 }), `hank[0].description: ${text}`],
      )
    },
  )
  verifies(
    [
      '2.7/terminate-on-required',
      '2.7/terminate-on-enum',
      '2.7/iteration-limit-integer',
      '8/iteration-limit',
    ],
    'says when it ends',
    async () => {
      const ending = (terminateOn: unknown) => withLoop({ terminateOn })
      const limit = 'hank[0].terminateOn.limit: expected a whole number of at least 1'
      await accepts(ending({ type: 'iterationLimit', limit: 1 }))
      const continued = [codon({ id: 'inner', continuationMode: 'continue-previous', onFailure: 'abort' })]
      await accepts({
        hank: [codon(), loop({ terminateOn: { type: 'contextExceeded' }, codons: continued })],
      })
      await refuses(
        [{ hank: [without(loop(), 'terminateOn')] }, 'hank[0].terminateOn: is missing; expected an object'],
        [
          ending({ type: 'never' }),
          'hank[0].terminateOn.type: expected one of "iterationLimit", "contextExceeded", found "never"',
        ],
        [ending({ type: 'iterationLimit', limit: 0 }), `${limit}, found 0`],
        [ending({ type: 'iterationLimit', limit: 1.5 }), `${limit}, found 1.5`],
        [
          ending({ type: 'iterationLimit' }),
          'hank[0].terminateOn.limit: is missing; expected a whole number of at least 1',
        ],
      )
    },
  )
  verifies(
    ['2.7/codons-required', '2.7/codons-not-empty', '8/loop-codons-length'],
    'has a codon',
    async () => {
      await accepts(withLoop({}))
      await refuses(
        [withLoop({ codons: [] }), 'hank[0].codons: expected a non-empty list, found an empty list'],
        [{ hank: [without(loop(), 'codons')] }, 'hank[0].codons: is missing; expected a non-empty list'],
        [withLoop({ codons: {} }), 'hank[0].codons: expected a non-empty list, found an object'],
      )
    },
  )
  verifies(['2.7/no-nested-loops', '7.3/load-nested-loops'], 'has no loop in it', async () => {
    const nested = 'loops cannot be nested: the codons of a loop must be plain codons'
    await refuses(
      [withLoop({ codons: [loop({ id: 'deep' })] }), `hank[0].codons[0]: ${nested}`],
      [withLoop({ codons: [without(loop({ id: 'deep' }), 'type')] }), `hank[0].codons[0]: ${nested}`],
    )
  })
})

test('all faults of all places are told at once, in the order of the text', async () => {
  const hank = {
    hank: [codon({ id: '' }), loop({ name: 1, codons: [codon({ id: 2 }), 7] }), 'x'],
    meta: {},
    zzz: true,
  }
  const { problems } = await loadValue(hank)
  expect(problems.map(({ where }) => where)).toEqual([
    'hank[0].id',
    'hank[1].name',
    'hank[1].codons[0].id',
    'hank[1].codons[1]',
    'hank[2]',
    'meta.name',
    'meta.version',
    '',
  ])
  for (const { place } of problems) expect(place?.file).toBe('hank.json')
})

test('`__proto__` is refused wherever it stands and changes nothing', async () => {
  const member = '"__proto__": {"polluted": true}'
  const text = `{${member}, "meta": {"name": "x", "version": "1.0.0", ${member}}, "overrides": {${member}, "budget": {"shares": {"__proto__": 1}}},
    "hank": [{"id": "a", "name": "A", "model": "haiku", "continuationMode": "fresh", "promptText": "x", ${member}, "env": {"__proto__": "x"},
    "sentinels": [{"sentinelConfig": {${member}}}]}]}`
  const loaded = await loadValue(text)
  const about = loaded.problems.filter(({ message }) => message.includes('__proto__'))
  expect(about.map(({ where }) => where)).toEqual([
    '',
    'meta',
    'overrides',
    'overrides.budget.shares.__proto__',
    'hank[0]',
    'hank[0].env.__proto__',
    'hank[0].sentinels[0].sentinelConfig',
  ])
  expect(loaded.hank).toBeUndefined()
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})
