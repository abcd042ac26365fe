import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { formatProblem } from '../../src/kit/index.ts'
import { settingFields } from '../../src/settings/fields.ts'
import { readRuntimeFile, resolveSettings } from '../../src/settings/index.ts'
import { parseRuntimeFile } from '../../src/settings/read-values.ts'
import { tempDir } from '../kit/temp-dir.ts'

const problemsIn = (text: string): readonly string[] =>
  parseRuntimeFile(text, 'weave.json').problems.map(formatProblem)

describe('looking for weave.json', () => {
  verifies(
    ['d3/config-beside-hank', 'd3/config-working-directory'],
    'goes to the directory of the hank first, then to the working directory',
    async () => {
      await using dir = await tempDir()
      const [hankDirectory, workingDirectory] = [dir.file('hank'), dir.file('work')]
      await mkdir(hankDirectory)
      await mkdir(workingDirectory)
      const search = { hankDirectory, workingDirectory }
      expect(await readRuntimeFile(search)).toEqual({ layer: {}, problems: [] })

      await writeFile(dir.file('work/weave.json'), '{"port": 2}')
      expect(await readRuntimeFile(search)).toEqual({
        path: dir.file('work/weave.json'),
        layer: { port: { value: 2, origin: 'weave.json' } },
        problems: [],
      })

      await writeFile(dir.file('hank/weave.json'), '{"port": 1}')
      expect((await readRuntimeFile(search)).layer.port?.value).toBe(1)
      expect((await readRuntimeFile({ workingDirectory })).layer.port?.value).toBe(2)
      expect((await readRuntimeFile({ workingDirectory, hankDirectory: '../hank' })).layer.port?.value).toBe(
        1,
      )
    },
  )

  verifies(
    ['codes/overlay'],
    'takes the text of an editor instead of the file, also where there is none yet',
    async () => {
      await using dir = await tempDir()
      const search = { workingDirectory: dir.path }
      const open = (text: string) => (path: string) => (path === dir.file('weave.json') ? text : undefined)
      const unsaved = await readRuntimeFile({ ...search, overlay: open('{"port": 3}') })
      expect(unsaved.layer.port?.value).toBe(3)
      await writeFile(dir.file('weave.json'), '{"port": 1}')
      expect((await readRuntimeFile({ ...search, overlay: open('{"port": 3}') })).layer.port?.value).toBe(3)
      expect((await readRuntimeFile({ ...search, overlay: () => undefined })).layer.port?.value).toBe(1)
      const { problems } = await readRuntimeFile({ ...search, overlay: open('{"prt": 3}') })
      expect(problems.map(formatProblem)).toEqual([expect.stringContaining('weave.json:1:')])
    },
  )

  it('reads the named file and no other', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('weave.json'), '{"port": 1}')
    await writeFile(dir.file('other.json'), '{"port": 2}')
    const search = { workingDirectory: dir.path, hankDirectory: dir.path }
    expect((await readRuntimeFile({ ...search, named: 'other.json' })).layer.port?.value).toBe(2)
    expect((await readRuntimeFile({ ...search, named: dir.file('other.json') })).layer.port?.value).toBe(2)
    const missing = await readRuntimeFile({ ...search, named: 'gone.json' })
    expect(missing.problems.map(formatProblem)).toEqual(['gone.json:1:1: error: the file does not exist'])
    expect(missing.layer).toEqual({})
  })

  it('follows a link, and refuses what is no regular file', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('real.json'), '{"port": 3}')
    await symlink(dir.file('real.json'), dir.file('weave.json'))
    const search = { workingDirectory: dir.path }
    expect((await readRuntimeFile(search)).layer.port?.value).toBe(3)
    const named = await readRuntimeFile({ ...search, named: '.' })
    expect(named.problems.map(({ message }) => message)).toEqual([`${dir.path} is not a regular file`])
    await symlink(dir.file('nowhere'), dir.file('broken.json'))
    const broken = await readRuntimeFile({ ...search, named: 'broken.json' })
    expect(broken.problems.map(formatProblem)).toEqual([
      `broken.json:1:1: error: ${dir.file('broken.json')} is a symbolic link`,
    ])
  })

  it('names the file from where the person stands, and reports nothing but problems of it', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('work'))
    await mkdir(dir.file('hank'))
    await writeFile(dir.file('hank/weave.json'), '{\n  "prot": 1\n}')
    const inside = await readRuntimeFile({ workingDirectory: dir.path, hankDirectory: dir.file('hank') })
    expect(inside.problems[0]?.place).toEqual({ file: 'hank/weave.json', line: 2, column: 3 })
    const outside = await readRuntimeFile({
      workingDirectory: dir.file('work'),
      hankDirectory: dir.file('hank'),
    })
    expect(outside.problems[0]?.place?.file).toBe(dir.file('hank/weave.json'))
    expect(outside.layer).toEqual({})
  })
})

describe('the text of weave.json', () => {
  it('takes every key there is', () => {
    const everything = {
      $schema: 'x',
      port: 65535,
      autostart: false,
      withoutProxy: false,
      idleTimeout: 255,
      model: 'opus',
      vendorBaseUrl: 'http://127.0.0.1:80/v1',
      outputDirectory: 'out',
      executionBaseDir: '/tmp/x',
      logParsingInterval: 1,
      dataHashTimeLimit: 1,
      budget: { maxDollars: 0.01, maxTimeSeconds: 1 },
      sentinel: { enablePersistence: false, healthCheckGracePeriodMs: 0, waitForAllHealthChecks: true },
      telemetry: { enabled: false, debug: true, endpoint: 'https://t.example' },
      otel: { enabled: true, content: 'tools', names: 'latest', metrics: false },
      web: { enabled: true, port: 7788, readonly: true },
      agents: {
        claude: { tools: { allow: ['Bash'], deny: ['WebSearch'] }, userSettings: true },
        pi: { tools: { allow: ['read'], deny: [] } },
      },
      plainHttpHosts: ['nas.local'],
      showCosts: true,
      shimIdleTimeout: 1800,
      ignoreRigFailures: true,
      modelsFile: 'models.json',
      readonlyOnly: true,
      gates: [{ id: 'plan-ok', before: 'implement', message: 'Read plan.md.' }],
    }
    const { layer, gates: asked, problems } = parseRuntimeFile(JSON.stringify(everything), 'weave.json')
    expect(problems).toEqual([])
    const { settings, sources, ceilings, modelOverride } = resolveSettings({ file: layer })
    const { $schema, model, budget, logParsingInterval, gates, ...plain } = everything
    expect(asked).toEqual(gates)
    expect(settings).toEqual(plain)
    expect(sources.logParsingInterval?.value).toBe(logParsingInterval)
    expect(ceilings.maxDollars?.value).toBe(budget.maxDollars)
    expect(ceilings.maxTimeSeconds?.value).toBe(budget.maxTimeSeconds)
    expect(modelOverride?.value).toBe(model)
    expect([settings, ceilings]).not.toContain($schema)
  })

  verifies(['d3/config-key-schema'], 'may have `$schema`', () => {
    expect(problemsIn('{"$schema": "https://x"}')).toEqual([])
    expect(problemsIn('{"$schema": 1}')).toHaveLength(1)
  })
  verifies(['d3/config-key-show-costs'], 'may have `showCosts`', () => {
    expect(problemsIn('{"showCosts": true}')).toEqual([])
    expect(problemsIn('{"showCosts": "1"}')).toHaveLength(1)
  })
  verifies(
    ['d3/config-key-shim-idle-timeout'],
    'may have `shimIdleTimeout`, the default for the runtime',
    () => {
      const { layer } = parseRuntimeFile('{"shimIdleTimeout": 60}', 'f')
      expect(resolveSettings({ file: layer }).settings.shimIdleTimeout).toBe(60)
      expect(
        resolveSettings({ file: layer, overrides: { shimIdleTimeout: 5 } }).settings.shimIdleTimeout,
      ).toBe(5)
      expect(['0', '1801', '1.5'].map(value => problemsIn(`{"shimIdleTimeout": ${value}}`).length)).toEqual([
        1, 1, 1,
      ])
    },
  )
  verifies(['d3/config-key-ignore-rig-failures'], 'may have `ignoreRigFailures`', () => {
    expect(problemsIn('{"ignoreRigFailures": true}')).toEqual([])
    expect(problemsIn('{"ignoreRigFailures": 0}')).toHaveLength(1)
  })
  verifies(['d3/config-key-models-file'], 'may have `modelsFile`', () => {
    expect(problemsIn('{"modelsFile": "models.json"}')).toEqual([])
    expect(problemsIn('{"modelsFile": ""}')).toHaveLength(1)
  })
  verifies(['d3/config-key-readonly-only'], 'may have `readonlyOnly`', () => {
    expect(problemsIn('{"readonlyOnly": true}')).toEqual([])
    expect(problemsIn('{"readonlyOnly": null}')).toHaveLength(1)
  })
  verifies(['d3/config-key-telemetry-endpoint'], 'may have `telemetry.endpoint`', () => {
    expect(problemsIn('{"telemetry": {"endpoint": "https://t.example/in"}}')).toEqual([])
    expect(problemsIn('{"telemetry": {"endpoint": "t.example"}}')).toHaveLength(1)
  })

  verifies(['d3/config-port-range'], 'has a `port` from 0 to 65535', () => {
    expect(problemsIn('{"port": 0}')).toEqual([])
    expect(problemsIn('{"port": 65535}')).toEqual([])
    const range = 'expected a whole number from 0 to 65535'
    expect(problemsIn('{"port": -1}')).toEqual([`weave.json:1:10: error: port: ${range}, found -1`])
    expect(problemsIn('{"port": 65536}')).toEqual([`weave.json:1:10: error: port: ${range}, found 65536`])
  })

  verifies(['d3/config-integers'], 'has whole numbers, except for money', () => {
    const numbers = ['port', 'idleTimeout', 'logParsingInterval', 'dataHashTimeLimit', 'shimIdleTimeout']
    for (const key of numbers) expect(problemsIn(`{"${key}": 1.5}`).join()).toMatch(/expected a whole number/)
    expect(problemsIn('{"budget": {"maxTimeSeconds": 1.5}}').join()).toMatch(/expected a whole number/)
    expect(problemsIn('{"sentinel": {"healthCheckGracePeriodMs": 1.5}}').join()).toMatch(/whole number/)
    expect(problemsIn('{"budget": {"maxDollars": 1.5}}')).toEqual([])
  })

  const root =
    'Valid fields here: $schema, port, autostart, withoutProxy, idleTimeout, model, vendorBaseUrl, outputDirectory, executionBaseDir, logParsingInterval, dataHashTimeLimit, budget, sentinel, telemetry, otel, agents, plainHttpHosts, showCosts, shimIdleTimeout, ignoreRigFailures, modelsFile, readonlyOnly, mcpServers, gates, rules, fleet, web'

  verifies(['d3/config-unknown-key'], 'is refused with help when a key is unknown', () => {
    expect(problemsIn('{\n  "prot": 1,\n  "budget": {"maxDolars": 1},\n  "__proto__": {}\n}')).toEqual([
      `weave.json:2:3: error: Unknown field prot. Did you mean port? ${root}`,
      'weave.json:3:14: error: budget: Unknown field maxDolars. Did you mean maxDollars? Valid fields here: maxDollars, maxTimeSeconds',
      `weave.json:4:3: error: Unknown field __proto__. ${root}`,
    ])
    expect(problemsIn('{"telemetry": {"__proto__": 1}}')).toEqual([
      'weave.json:1:16: error: telemetry: Unknown field __proto__. Valid fields here: enabled, debug, endpoint',
    ])
  })

  it.each([
    ['maxDollars', 'budget.maxDollars'],
    ['enablePersistance', 'sentinel.enablePersistence'],
    ['maxCost', 'budget.maxDollars'],
    ['timeLimit', 'budget.maxTimeSeconds'],
    ['proxy', 'withoutProxy'],
    ['outputDir', 'outputDirectory'],
    ['endpoint', 'telemetry.endpoint'],
  ])('knows where %s belongs', (written, meant) => {
    expect(problemsIn(`{"${written}": 1}`)).toEqual([
      `weave.json:1:2: error: Unknown field ${written}. Did you mean ${meant}? ${root}`,
    ])
  })

  verifies(['d3/config-wrong-type'], 'is refused with what was expected when a type is wrong', () => {
    expect(
      problemsIn('{"autostart": "yes",\n "model": 5, "budget": [],\n "sentinel": {"enablePersistence": 1}}'),
    ).toEqual([
      'weave.json:1:15: error: autostart: expected true or false, found "yes"',
      'weave.json:2:11: error: model: expected a non-empty string, found 5',
      'weave.json:2:24: error: budget: expected an object, found an empty list',
      'weave.json:3:36: error: sentinel.enablePersistence: expected true or false, found 1',
    ])
    expect(problemsIn('[]')).toEqual(['weave.json:1:1: error: expected an object, found an empty list'])
  })

  it.each([
    ['{"budget": {"maxDollars": 0}}', 'expected a number above 0, found 0'],
    ['{"budget": {"maxDollars": -1}}', 'expected a number above 0, found -1'],
    ['{"budget": {"maxTimeSeconds": 0}}', 'expected a whole number above 0, found 0'],
    [
      '{"vendorBaseUrl": "api.example"}',
      'expected an address that starts with https://, or with http:// when it is on this machine',
    ],
    [
      '{"vendorBaseUrl": "ftp://a"}',
      'expected an address that starts with https://, or with http:// when it is on this machine, found ftp://a',
    ],
    [
      '{"vendorBaseUrl": "https://me:secret@a.example"}',
      'expected an address without a user name and password',
    ],
    ['{"vendorBaseUrl": ""}', 'expected a non-empty string, found an empty string'],
    [
      '{"vendorBaseUrl": "http://[::bad"}',
      'expected an address that starts with https://, or with http:// when it is on this machine',
    ],
  ])('%s is refused', (text, message) => {
    expect(parseRuntimeFile(text, 'f').problems.map(problem => problem.message)).toEqual([message])
  })

  it.each(['https://a.example/x', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:8080/v1'])(
    'has %s for an address',
    vendorBaseUrl => {
      expect(problemsIn(JSON.stringify({ vendorBaseUrl }))).toEqual([])
    },
  )

  it('is strict JSON, and a fault in it has its line', () => {
    expect(problemsIn('{\n  "port": 1,\n  // no\n  "model": "x"\n}')).toEqual([
      'weave.json:3:3: error: comments are not allowed in JSON, in the line `// no`',
    ])
    expect(problemsIn('{\n  "port": 1,\n}')).toEqual([
      'weave.json:2:12: error: there is a comma too many before the closing }, in the line `"port": 1,`',
    ])
  })

  it('has caps, and says when a key is written twice', () => {
    expect(problemsIn(`{"model": ${'['.repeat(65)}${']'.repeat(65)}}`)).toEqual([
      'weave.json:1:74: error: values are nested more than 64 levels deep',
    ])
    expect(problemsIn(' '.repeat(10 * 1024 * 1024 + 1))).toEqual([
      'weave.json:1:1: error: the file has 10485761 bytes; at most 10485760 are allowed',
    ])
    const twice = parseRuntimeFile('{"port": 1, "port": 2}', 'weave.json')
    expect(twice.layer.port?.value).toBe(2)
    expect(twice.problems.map(formatProblem)).toEqual([
      'weave.json:1:2: warning: the key port is written more than once; only the last one counts',
    ])
  })
})

describe('reading the file and checking its text', () => {
  it('say the same, whatever it holds: the one is only quicker', async () => {
    await using dir = await tempDir()
    const odd = [
      0,
      1,
      -1,
      0.5,
      1e9,
      '',
      'x',
      'https://a.example',
      'http://a.example',
      true,
      null,
      [],
      {},
      { x: 1 },
    ]
    const keys = ['$schema', ...settingFields, 'other', '__proto__', 'budget', 'telemetry']
    let good = 0
    for (const key of keys) {
      for (const value of odd) {
        const [outer = '', inner] = key.split('.')
        const held = inner === undefined ? JSON.stringify(value) : `{"${inner}": ${JSON.stringify(value)}}`
        const text = `{"autostart": false, "${outer}": ${held}}`
        await writeFile(dir.file('weave.json'), text)
        const { path: _, ...read } = await readRuntimeFile({ workingDirectory: dir.path })
        expect(read, text).toEqual(parseRuntimeFile(text, 'weave.json'))
        if (read.problems.length === 0) good++
      }
    }
    expect(good).toBeGreaterThan(40)
  })
})
