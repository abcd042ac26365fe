import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import {
  checkMeta,
  checkModels,
  checkOutputs,
  checkRequirements,
  checkRetry,
} from '../../../src/hank/checks/small-rules.ts'
import { places, told } from './problems.ts'

describe('retryConfig', () => {
  verifies(
    ['2.3/retry-config-only-with-retry', '7.3/load-invalid-retry-config'],
    'is an error without onFailure set to retry',
    async () => {
      const codon = (onFailure?: 'abort' | 'retry' | 'ignore') => codonOf('a', { onFailure, retryConfig: {} })
      expect(await told(checkRetry, hankOf([codon()]))).toEqual([
        'error: hank[0].retryConfig: Codon 1 (a): retryConfig needs onFailure "retry", but onFailure is the default, "abort". Set onFailure to "retry" or remove retryConfig.',
      ])
      expect(await told(checkRetry, hankOf([loopOf('l', [codon('ignore')])]))).toEqual([
        'error: hank[0].codons[0].retryConfig: Codon 1.1 (a): retryConfig needs onFailure "retry", but onFailure is "ignore". Set onFailure to "retry" or remove retryConfig.',
      ])
      expect(await told(checkRetry, hankOf([codon('retry'), codonOf('b', { onFailure: 'retry' })]))).toEqual(
        [],
      )
    },
  )
})

describe('models', () => {
  const without = codonOf('a', { model: undefined })

  verifies(
    ['2.3/model-required', 'd8a/model-missing'],
    'a codon without a model is an error when nothing else gives one',
    async () => {
      expect(await told(checkModels, hankOf([codonOf('x'), loopOf('l', [without])]))).toEqual([
        'error: hank[1].codons[0]: Codon 2.1 (a): has no model. Give the codon a model, or the whole hank one in overrides.model.',
      ])
    },
  )

  verifies(['d8a/model-optional'], 'may come from the fallback of the hank or from an override', async () => {
    expect(await told(checkModels, hankOf([without], { overrides: { model: 'haiku' } }))).toEqual([])
    expect(await told(checkModels, hankOf([without]), { modelOverride: 'haiku' })).toEqual([])
  })
})

describe('requirements.env', () => {
  const requiring = (...env: string[]) => hankOf([codonOf('a')], { requirements: { env } })

  verifies(
    ['7.3/load-unmet-requirements-env'],
    'a name that is not in the environment is an error, each name once',
    async () => {
      const hank = requiring('HAVE', 'MISS', 'MISS', 'ALSO')
      expect(await told(checkRequirements, hank, { environment: { HAVE: '1', ALSO: undefined } })).toEqual([
        'error: requirements.env[1]: The environment variable MISS is required but not set. Set MISS or WEAVE_MISS.',
        'error: requirements.env[3]: The environment variable ALSO is required but not set. Set ALSO or WEAVE_ALSO.',
      ])
    },
  )

  verifies(
    ['2.1/requirements-env-plain-name', '2.1/requirements-env-prefixed-name'],
    'a name is satisfied by itself or by its prefixed form',
    async () => {
      for (const environment of [{ API_KEY: 'x' }, { API_KEY: '' }, { WEAVE_API_KEY: 'x' }]) {
        expect(await told(checkRequirements, requiring('API_KEY'), { environment })).toEqual([])
      }
      for (const environment of [{ api_key: 'x' }, { API_KEY_2: 'x' }, { WEAVE_API: 'x' }, {}]) {
        expect(await places(checkRequirements, requiring('API_KEY'), { environment })).toHaveLength(1)
      }
    },
  )

  it('is not satisfied by a variable that is taken away', async () => {
    const environment = { WEAVE_API_KEY: 'unset', API_KEY: 'x' }
    expect(await told(checkRequirements, requiring('API_KEY'), { environment })).toEqual([
      'error: requirements.env[0]: The environment variable API_KEY is required, but WEAVE_API_KEY is "unset", which removes it. Give it a value.',
    ])
  })

  it('is not fooled by names that every object has', async () => {
    expect(await places(checkRequirements, requiring('constructor', '__proto__'))).toHaveLength(2)
  })
})

describe('meta.version', () => {
  const versioned = (version: string) => hankOf([codonOf('a')], { meta: { name: 'x', version } })

  verifies(['d8a/meta-version-warning'], 'warns when it is not a semantic version', async () => {
    for (const version of [
      '',
      '1',
      '1.0',
      'v1.0.0',
      '1.0.0.0',
      '01.0.0',
      '1.0.0-',
      '1.0.0-01',
      ' 1.0.0',
      'latest',
    ]) {
      expect(await places(checkMeta, versioned(version))).toEqual(['warning meta.version'])
    }
    expect(await told(checkMeta, versioned('1.0'))).toEqual([
      'warning: meta.version: meta.version "1.0" is not a semantic version. Write three numbers, such as "1.0.0".',
    ])
  })

  verifies(
    ['2.1/meta-version-semantic', '9/meta-version-free'],
    'takes every semantic version silently',
    async () => {
      for (const version of [
        '0.0.0',
        '1.2.3',
        '10.20.30',
        '1.0.0-alpha.1',
        '1.0.0-0A.is.legal',
        '1.0.0+build.01',
      ]) {
        expect(await told(checkMeta, versioned(version))).toEqual([])
      }
      expect(await told(checkMeta, hankOf([codonOf('a')]))).toEqual([])
    },
  )
})

describe('the output directory', () => {
  const hank = hankOf([codonOf('a', { outputFiles: [{ copy: ['*'] }] })])

  verifies(['2.4/output-directory-not-empty-warns'], 'gives a warning when it is not empty', async () => {
    const outputDirectory = await tempDir({ inMemory: true })
    expect(await told(checkOutputs, hank, { outputDirectory })).toEqual([])
    await mkdir(join(outputDirectory, '.hidden'))
    expect(await told(checkOutputs, hank, { outputDirectory })).toEqual([
      `warning: The output directory ${outputDirectory} is not empty. A file whose name is taken there is renamed; use --overwrite-output to replace it, or choose another directory.`,
    ])
  })

  it('may be missing or unknown, but not something else', async () => {
    const dir = await tempDir({ inMemory: true })
    expect(await told(checkOutputs, hank)).toEqual([])
    expect(await told(checkOutputs, hank, { outputDirectory: join(dir, 'none') })).toEqual([])
    const outputDirectory = join(dir, 'file')
    await writeFile(outputDirectory, '')
    expect(await told(checkOutputs, hank, { outputDirectory })).toEqual([
      `warning: The output directory ${outputDirectory} is not a directory, so no output file can be copied there. Choose another one.`,
    ])
  })
})
