import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { eachNth } from '../../../../test/support/sampled.ts'
import { checkShape, loadHank } from '../../src/hank/checks/load.ts'
import { hankFile } from '../../src/hank/schema.ts'
import { sentinelConfig } from '../../src/hank/sentinel-schema.ts'
import {
  formatPath,
  formatProblem,
  type JsonPath,
  type Problem,
  parseJsonSource,
  valueAt,
} from '../../src/kit/index.ts'
import { codon, contextIn, directoryWith, type Json, loop, sentinel } from './fixture.ts'

/** Hanks that load, and together use every field. */
const hanks: readonly Json[] = [
  {
    $schema: 'https://example.com/hank.schema.json',
    meta: { name: 'A', version: '1.0.0', description: 'd', author: 'a' },
    overrides: {
      model: 'sonnet',
      dataHashTimeLimit: 100,
      sentinel: { enablePersistence: true, healthCheckGracePeriodMs: 5, waitForAllHealthChecks: false },
      shimIdleTimeout: 60,
      budget: {
        maxDollars: 10,
        maxTimeSeconds: 600,
        allocation: 'proportional',
        shares: { a: 0.5 },
        onExceeded: 'fail',
      },
    },
    requirements: { env: ['NEEDED'] },
    globalSystemPromptFile: ['p.md'],
    hank: [
      codon({
        type: 'codon',
        id: 'a',
        promptFile: ['p.md', 'p.md'],
        description: 'd',
        appendSystemPromptText: 's',
        onFailure: 'retry',
        retryConfig: { maxAttempts: 2, delayMs: 5, maxDelayMs: 10 },
        exhaustWithPrompt: 'More.',
        maxExtensions: 3,
        autoCompact: true,
        shimIdleTimeout: 30,
        budget: {
          maxDollars: 1,
          maxTimeSeconds: 60,
          maxOutputTokens: 9,
          maxContextTokens: 9,
          onExceeded: 'complete',
        },
      }),
    ],
  },
  {
    globalSystemPromptText: 'Be kind.',
    hank: [
      codon({
        promptText: 'x',
        appendSystemPromptFile: 'p.md',
        rigSetup: [
          { type: 'copy', copy: { from: 'tree', to: 'src' }, allowFailure: true },
          { type: 'command', command: { run: 'ls', workingDirectory: 'lastCopied' }, allowFailure: false },
        ],
        checkpointedFiles: ['src/**', '!*.log'],
        env: { A: 'b' },
        outputFiles: [
          {
            copy: ['*.md'],
            beforeCopy: [{ type: 'command', command: { run: 'true', workingDirectory: 'project' } }],
          },
        ],
        archiveOnSuccess: ['tmp'],
      }),
      loop({
        description: 'd',
        budget: { maxDollars: 2, allocation: 'proportional-strict', shares: { inner: 1 } },
        archiveOnSuccess: ['x'],
      }),
    ],
  },
  {
    hank: [
      codon({
        sentinels: [
          {
            sentinelConfig: 's.json',
            settings: {
              failCodonIfNotLoaded: true,
              outputPaths: { logFile: 'a.md', lastValueFile: 'b/c.md' },
              reportToWebsocket: { lifecycle: true, errors: true, outputs: false, triggers: true },
            },
          },
        ],
      }),
      loop({
        terminateOn: { type: 'contextExceeded' },
        codons: [codon({ id: 'inner', name: 'I', continuationMode: 'continue-previous' })],
      }),
    ],
  },
  { hank: [codon({ sentinels: [{ sentinelConfig: observer() }, { sentinelConfig: sequence() }] })] },
]

function observer(): Json {
  const { userPromptText: _, ...rest } = sentinel({
    id: 'one',
    description: 'd',
    trigger: {
      type: 'event',
      on: ['tool.result', '*'],
      conditions: [
        { operator: 'matches', path: 'a.b', value: '^x' },
        { operator: 'in', path: 'a', value: [1, 'x'] },
        { operator: 'greaterThan', path: 'a', value: 3 },
      ],
    },
    execution: { strategy: 'debounce', milliseconds: 100 },
    systemPromptText: 'x',
    userPromptFile: 'p.md',
    conversational: { trimmingStrategy: { type: 'maxTurns', maxTurns: 5 }, continueOnError: true },
    output: { format: 'text', file: 'a.md', lastValueFile: 'b.md' },
    joinString: '\n',
    llmParams: { temperature: 1, maxOutputTokens: 5, maxRetries: 1 },
    errorHandling: { maxConsecutiveFailures: 1, unloadOnFatalError: false },
    reportToWebsocket: { lifecycle: false, errors: false, outputs: false, triggers: true },
  })
  return rest
}

function sequence(): Json {
  return sentinel({
    id: 'two',
    trigger: {
      type: 'sequence',
      interestFilter: { on: ['tool.result'] },
      pattern: [{ type: 'tool.result', conditions: [{ operator: 'equals', path: 'a', value: null }] }],
      options: { consecutive: true },
    },
    execution: { strategy: 'count', threshold: 3 },
    structuredOutput: {
      output: 'object',
      schema: { type: 'object' },
      schemaName: 'n',
      schemaDescription: 'd',
    },
  })
}

interface Mutant {
  readonly what: string
  /** One of these is to be found in what is said. */
  readonly keys: readonly string[]
  readonly value: () => unknown
}

const others = ['', 'x', -1, 0, 0.5, 1e9, true, null, [], ['x'], {}, { x: 1 }, [[]]]

/** Every way to spoil every field. */
function* mutantsOf(hank: unknown): Generator<Mutant> {
  for (const path of pathsIn(hank, [])) {
    const at = formatPath(path)
    const before = valueAt(hank, path)
    const key = String(path.findLast(step => typeof step === 'string'))
    if (path.at(-1) === key) {
      const beside = (name: string) => [...path.slice(0, -1), name]
      const copied = (name: string) => changed(hank, beside(name), before)
      yield { what: `${at} removed`, keys: [key], value: () => changed(hank, path, undefined) }
      yield { what: `${at} doubled`, keys: [`my-${key}`], value: () => copied(`my-${key}`) }
      const renamed = () => changed(copied(`${key}x`), path, undefined)
      yield { what: `${at} renamed`, keys: [key, `${key}x`], value: renamed }
    }
    for (const other of others) {
      if (JSON.stringify(other) === JSON.stringify(before)) continue
      yield {
        what: `${at} is ${JSON.stringify(other)}`,
        keys: [key],
        value: () => changed(hank, path, other),
      }
    }
  }
}

function pathsIn(value: unknown, path: JsonPath): readonly JsonPath[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const whole = [...path, Array.isArray(value) ? Number(name) : name]
    return [whole, ...pathsIn(inner, whole)]
  })
}

function changed(root: unknown, path: JsonPath, value: unknown): unknown {
  const copy: unknown = structuredClone(root)
  const parent = valueAt(copy, path.slice(0, -1))
  if (typeof parent === 'object' && parent !== null) Reflect.set(parent, path.at(-1) ?? '', value)
  return JSON.parse(JSON.stringify(copy))
}

/** What the schemas themselves say, all at once. */
function schemaRefuses(hank: unknown): boolean {
  if (!hankFile.safeParse(hank).success) return true
  const configs = pathsIn(hank, []).filter(path => path.at(-1) === 'sentinelConfig')
  return configs
    .map(path => valueAt(hank, path))
    .some(config => typeof config === 'object' && !sentinelConfig.safeParse(config).success)
}

async function checkText(hank: unknown): Promise<readonly Problem[]> {
  const source = parseJsonSource(JSON.stringify(hank), { file: 'hank.json' })
  return source.ok ? (await checkShape(source)).problems : source.problems
}

const files = { 'p.md': 'Hello.', 'tree/a.txt': '', 's.json': sentinel() }

/** One field more than the smallest codon, alone and inside a loop. */
const extras: readonly Json[] = [
  {},
  { type: 'codon' },
  { description: 'd' },
  { promptFile: 'p.md' },
  { promptFile: ['p.md', 'p.md'] },
  { appendSystemPromptFile: 'p.md' },
  { appendSystemPromptText: 's' },
  { rigSetup: [{ type: 'copy', copy: { from: 'tree', to: 'src' }, allowFailure: true }] },
  { rigSetup: [{ type: 'command', command: { run: 'true' } }] },
  { checkpointedFiles: ['*.md', '!x.md'] },
  { env: { A: '1' } },
  { outputFiles: [{ copy: ['*.md'] }] },
  { outputFiles: [{ copy: ['*'], beforeCopy: [{ type: 'command', command: { run: 'true' } }] }] },
  { sentinels: [{ sentinelConfig: 's.json' }] },
  { sentinels: [{ sentinelConfig: 's.json', settings: { failCodonIfNotLoaded: true } }] },
  { archiveOnSuccess: ['*.log'] },
  { onFailure: 'abort' },
  { onFailure: 'ignore' },
  { onFailure: 'retry' },
  { onFailure: 'retry', retryConfig: { maxAttempts: 2, delayMs: 10, maxDelayMs: 20 } },
  { exhaustWithPrompt: 'on' },
  { exhaustWithPrompt: 'on', maxExtensions: 3 },
  { autoCompact: true },
  { autoCompact: false, description: '' },
  { shimIdleTimeout: 30 },
  { budget: { maxDollars: 1 } },
  { budget: { maxTimeSeconds: 60, onExceeded: 'fail' } },
  { budget: { maxOutputTokens: 100, maxContextTokens: 1_000 } },
]
const smallHanks: readonly Json[] = extras.flatMap(extra => [
  { hank: [codon(extra)] },
  { hank: [loop({ codons: [codon(extra)] })] },
])

test('there are sixty hanks', () => {
  expect(hanks.length + smallHanks.length).toBeGreaterThanOrEqual(60)
})

describe.each([...hanks, ...smallHanks].map((hank, at) => [at, hank] as const))('hank %i', (_, hank) => {
  test('loads as it is', async () => {
    const dir = await directoryWith({ ...files, 'hank.json': hank })
    const loaded = await loadHank(dir, { ...contextIn('/'), environment: { NEEDED: '1' } })
    expect(loaded.problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('is refused in any mutation that its schema refuses, with the field in the message, and never breaks a load', async () => {
    const silent: string[] = []
    const nameless: string[] = []
    const passing: unknown[] = []
    const { first, step } = eachNth(3)
    const mutants = [...mutantsOf(hank)].filter((_, at) => at % step === first)
    tally('mutations of small hanks', mutants.length)
    for (const { what, keys, value: made } of mutants) {
      const value = made()
      const lines = (await checkText(value)).filter(({ severity }) => severity === 'error').map(formatProblem)
      if (lines.length === 0) passing.push(value)
      if (lines.length === 0 && schemaRefuses(value)) silent.push(what)
      const named = lines.some(line => keys.some(key => line.includes(key)))
      if (lines.length > 0 && !named) nameless.push(`${what}: ${lines.join(' | ')}`)
    }
    expect({ silent, nameless }).toEqual({ silent: [], nameless: [] })
    expect(passing.length).toBeGreaterThan(isProof ? 5 : 0)
    // Where the shape is right, rules and files may still be wrong.
    await loadEach(passing.filter((_, at) => at % 5 === 0))
  })
})

test('there are thousands of mutants', () => {
  expect([...hanks, ...smallHanks].flatMap(hank => [...mutantsOf(hank)]).length).toBeGreaterThan(6_000)
})

async function loadEach(mutants: readonly unknown[]): Promise<void> {
  const dir = await directoryWith(files)
  const context = { ...contextIn(dir), environment: { NEEDED: '1' } }
  for (const mutant of mutants) {
    await writeFile(join(dir, 'hank.json'), JSON.stringify(mutant))
    const { problems, hank } = await loadHank(undefined, context)
    expect(hank !== undefined).toBe(problems.every(({ severity }) => severity !== 'error'))
    expect(problems.every(({ place }) => place !== undefined)).toBe(true)
  }
}
