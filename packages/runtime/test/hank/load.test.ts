import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Check } from '../../src/hank/checks/check.ts'
import { loadHank } from '../../src/hank/checks/load.ts'
import { pathOf } from '../../src/hank/places.ts'
import { formatPath } from '../../src/kit/index.ts'
import {
  codon,
  contextIn,
  directoryWith,
  type Json,
  loadIn,
  loop,
  printed,
  sentinel,
  told,
} from './fixture.ts'

describe('the steps of a load', () => {
  const wrongShape = { hank: [codon({ zzz: 1, promptFile: '/x' }), codon({ yyy: 1 })] }
  const wrongRules = {
    hank: [codon({ promptFile: '/x' }), codon({ promptFile: '/y' }), codon({ promptFile: '/z' })],
  }
  const wrongFiles = {
    hank: [
      codon({ promptFile: ['/x', 'no.md'], rigSetup: [{ type: 'copy', copy: { from: '.', to: 'x' } }] }),
    ],
  }

  test('run one after another, each only when the one before found nothing, and tell all they find', async () => {
    const dir = await directoryWith({})
    const steps: string[] = []
    const rule: Check = (hank, { error }) => {
      steps.push('rule')
      if (hank.hank.length >= 3)
        for (const at of hank.hank.keys()) error('hank/id', `hank[${at}].id`, 'refused')
    }
    const load = async (hank: Json) => {
      await writeFile(join(dir, 'hank.json'), JSON.stringify(hank))
      return loadHank(undefined, contextIn(dir), [rule, rule])
    }
    expect(told(await load(wrongShape)).map(line => line.split('.')[0])).toEqual([
      'hank[0]: Unknown field zzz',
      'hank[1]: Unknown field yyy',
    ])
    expect(steps).toEqual([])

    const ruled = await load(wrongRules)
    expect(told(ruled)).toEqual([0, 0, 1, 1, 2, 2].map(at => `hank[${at}].id: refused`))
    expect(steps).toEqual(['rule', 'rule'])

    expect(told(await load(wrongFiles)).map(line => line.split(' ')[0])).toEqual([
      'hank[0].promptFile[0]:',
      'hank[0].promptFile[1]:',
      'hank[0].rigSetup[0].copy.from:',
    ])
    expect(steps).toEqual(['rule', 'rule', 'rule', 'rule'])
  })

  test('count codons and loops as soon as the shape is right', async () => {
    const dir = await directoryWith({ 'hank.json': { hank: [codon(), loop(), loop({ id: 'x' })] } })
    const loaded = await loadHank(undefined, contextIn(dir), [(_, { error }) => error('hank/id', '', 'no')])
    expect(loaded.counts).toEqual({ codons: 3, loops: 2 })
    expect(loaded.hank).toBeUndefined()
  })

  test('let warnings through', async () => {
    const dir = await directoryWith({ 'hank.json': { hank: [codon()] } })
    const warn: Check = (_, { warning }) => warning('hank/duplicate-name', 'hank[0].name', 'is dull')
    const loaded = await loadHank(undefined, contextIn(dir), [warn])
    expect(printed(loaded)).toEqual(['hank.json:5:15: warning: hank[0].name: is dull'])
    expect(loaded.hank).toBeDefined()
  })

  test('give every problem a place, also a rule that names none', async () => {
    const dir = await directoryWith({ 'hank.json': { hank: [codon()] } })
    const rules: Check = (_, { warning }) => {
      warning('hank/id', '', 'a')
      warning('hank/id', 'hank[0].no.such[7]["thing"]', 'b')
      warning('hank/id', ']]odd[', 'c')
    }
    const { problems } = await loadHank(undefined, contextIn(dir), [rules])
    expect(problems.map(({ place, message }) => [message, place?.line, place?.column])).toEqual([
      ['a', 1, 1],
      ['c', 1, 1],
      ['b', 3, 5],
    ])
  })
})

test.each([
  [[]],
  [['hank', 0, 'codons', 12, 'promptFile', 1]],
  [['hank', 3, 'env', 'a b.c["d"]', 'x']],
  [['$schema']],
  [['a-b', 'c_d', '', '\n"\\']],
])('the way %j is found again from how it is written', path => {
  expect(pathOf(formatPath(path))).toEqual(path)
})

test('a hank that uses everything loads as it is written', async () => {
  const hank = {
    $schema: 'https://unpkg.com/weave-runtime@0.10.0/schemas/hank.schema.json',
    meta: { name: 'All', version: '1.0.0', description: 'd', author: 'a' },
    overrides: {
      model: 'sonnet',
      dataHashTimeLimit: 100,
      sentinel: { enablePersistence: true, healthCheckGracePeriodMs: 0, waitForAllHealthChecks: false },
      shimIdleTimeout: 60,
      budget: {
        maxDollars: 10,
        maxTimeSeconds: 600,
        allocation: 'proportional',
        shares: { all: 0.5, fix: 0.5 },
        onExceeded: 'fail',
      },
    },
    requirements: { env: ['NEEDED'] },
    globalSystemPromptFile: ['prompts/global.md'],
    hank: [
      codon({
        type: 'codon',
        id: 'all',
        promptFile: 'prompts/all.md',
        description: 'd',
        appendSystemPromptText: 's',
        rigSetup: [
          { type: 'copy', copy: { from: 'templates', to: 'src' }, allowFailure: true },
          { type: 'command', command: { run: 'ls', workingDirectory: 'lastCopied' }, allowFailure: false },
        ],
        checkpointedFiles: ['src/**', '!*.log'],
        env: { A: 'b' },
        outputFiles: [{ copy: ['*.md'], beforeCopy: [{ type: 'command', command: { run: 'true' } }] }],
        sentinels: [
          {
            sentinelConfig: 'watch/s.json',
            settings: {
              failCodonIfNotLoaded: true,
              outputPaths: { logFile: 'a.md' },
              reportToWebsocket: { triggers: true },
            },
          },
          { sentinelConfig: sentinel({ id: 'inline' }) },
        ],
        archiveOnSuccess: ['tmp'],
        onFailure: 'retry',
        retryConfig: { maxAttempts: 2, delayMs: 5, maxDelayMs: 10 },
        exhaustWithPrompt: 'More.',
        maxExtensions: 3,
        autoCompact: true,
        shimIdleTimeout: 30,
        budget: {
          maxDollars: 1,
          maxTimeSeconds: 60,
          maxOutputTokens: 1000,
          maxContextTokens: 1000,
          onExceeded: 'complete',
        },
      }),
      loop({ description: 'd', budget: { maxDollars: 2 }, archiveOnSuccess: ['x'] }),
    ],
  }
  const dir = await directoryWith({
    'hank.json': hank,
    'prompts/global.md': 'Be kind.',
    'prompts/all.md': 'Do all.',
    'templates/a.txt': '',
    'watch/s.json': sentinel({
      $schema: 'https://unpkg.com/weave-runtime@0.10.0/schemas/sentinel.schema.json',
    }),
  })
  const loaded = await loadHank(dir, { ...contextIn('/'), environment: { NEEDED: '1' } })
  expect(printed(loaded).filter(line => line.includes(': error: '))).toEqual([])
  expect(loaded.hank).toEqual(hank)
})

verifies(
  ['9/release-0.10.0-root-schema'],
  'the root knows requirements and both global system prompts',
  async () => {
    const dir = await directoryWith({ 'p.md': 'x' })
    for (const more of [
      { requirements: { env: [] } },
      { globalSystemPromptFile: 'p.md' },
      { globalSystemPromptText: 'x' },
    ]) {
      await writeFile(join(dir, 'hank.json'), JSON.stringify({ ...more, hank: [codon()] }))
      expect((await loadIn(dir)).hank).toEqual({ ...more, hank: [codon()] })
    }
  },
)
