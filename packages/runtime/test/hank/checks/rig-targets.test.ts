import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { checkRigTargets } from '../../../src/hank/checks/rig-targets.ts'
import type { RigOperation } from '../../../src/hank/schema.ts'
import { places, told } from './problems.ts'

const copy = (to: string, from = 'rig'): RigOperation => ({ type: 'copy', copy: { from, to } })
const command = (workingDirectory?: 'project' | 'lastCopied'): RigOperation => ({
  type: 'command',
  command: { run: 'make', workingDirectory },
})
const rigged = (id: string, ...rigSetup: RigOperation[]) => codonOf(id, { rigSetup })

describe('copy.to', () => {
  verifies(
    ['d8a/copy-to-inside', '7.3/load-rig-path-escaping'],
    'must be relative and stay inside the workspace',
    async () => {
      const table: readonly (readonly [string, string])[] = [
        ['../x', '../x resolves outside the agent workspace (../x); choose a target inside it'],
        ['a/../../x', 'a/../../x resolves outside the agent workspace (../x); choose a target inside it'],
        [
          'a/../../a/x',
          'a/../../a/x resolves outside the agent workspace (../a/x); choose a target inside it',
        ],
        [
          '/etc',
          '/etc is an absolute or drive-qualified path; copy targets must be relative paths inside the agent workspace',
        ],
        [
          'C:x',
          'C:x is an absolute or drive-qualified path; copy targets must be relative paths inside the agent workspace',
        ],
        ['a\\b', 'a\\b contains a backslash; copy targets use / as the only path separator'],
        ['a\0b', 'a\\u0000b contains an invalid character (NUL)'],
      ]
      for (const [to, message] of table) {
        expect(await told(checkRigTargets, hankOf([rigged('a', command(), copy(to))]))).toEqual([
          `error: hank[0].rigSetup[1].copy.to: Codon 1 (a): copy.to ${message}`,
        ])
      }
      const inLoop = hankOf([loopOf('l', [rigged('a', copy('..'))])])
      expect(await places(checkRigTargets, inLoop)).toEqual(['error hank[0].codons[0].rigSetup[0].copy.to'])
    },
  )

  it('may have any other spelling', async () => {
    for (const to of ['src', './src/', 'a/b/c', 'a/../b', '..a', '~', 'a b', '-rf', 'ab:c']) {
      expect(await told(checkRigTargets, hankOf([rigged('a', copy(to))]))).toEqual([])
    }
  })
})

describe('lastCopied', () => {
  verifies(['d8/last-copied-before-copy'], 'is an error before any copy of the same rig', async () => {
    expect(await told(checkRigTargets, hankOf([rigged('a', command('lastCopied'), copy('x'))]))).toEqual([
      'error: hank[0].rigSetup[0].command.workingDirectory: Codon 1 (a): workingDirectory "lastCopied" needs a copy operation before it in the rigSetup of this codon. Add one, or use "project".',
    ])
    const other = hankOf([rigged('a', copy('x')), rigged('b', command('lastCopied'))])
    expect(await places(checkRigTargets, other)).toEqual([
      'error hank[1].rigSetup[0].command.workingDirectory',
    ])
    const fine = rigged(
      'a',
      command(),
      command('project'),
      copy('x'),
      command('lastCopied'),
      command('lastCopied'),
    )
    expect(await told(checkRigTargets, hankOf([fine]))).toEqual([])
  })

  it('needs a copy in the rig also before an output copy', async () => {
    const step = { type: 'command', command: { run: 'make', workingDirectory: 'lastCopied' } } as const
    const outputFiles = [{ copy: ['*'], beforeCopy: [step] }]
    expect(await places(checkRigTargets, hankOf([codonOf('a', { outputFiles })]))).toEqual([
      'error hank[0].outputFiles[0].beforeCopy[0].command.workingDirectory',
    ])
    const fine = codonOf('a', { outputFiles, rigSetup: [copy('x')] })
    expect(await told(checkRigTargets, hankOf([fine]))).toEqual([])
  })
})

describe('copy targets that are taken', () => {
  verifies(
    ['7.3/warn-existing-copy-target'],
    'a target that is there when the copy runs gives a warning',
    async () => {
      const twice = hankOf([rigged('a', copy('src')), rigged('b', copy('./src/'))])
      expect(await told(checkRigTargets, twice)).toEqual([
        'warning: hank[1].rigSetup[0].copy.to: Codon 2 (b): copy.to ./src/ already exists when this copy runs, because Codon 1 (a) copies to src. Choose another target, or archive what is there first.',
      ])
      const sameRig = hankOf([rigged('a', copy('src'), copy('src'))])
      expect(await places(checkRigTargets, sameRig)).toEqual(['warning hank[0].rigSetup[1].copy.to'])
      const above = hankOf([rigged('a', copy('src/app/config')), rigged('b', copy('src'))])
      expect(await places(checkRigTargets, above)).toEqual(['warning hank[1].rigSetup[0].copy.to'])
      for (const to of ['.', './', 'a/..']) {
        expect(await told(checkRigTargets, hankOf([rigged('a', copy(to))]))).toEqual([
          `warning: hank[0].rigSetup[0].copy.to: Codon 1 (a): copy.to ${to} is the agent workspace itself. Name a directory or file inside it, such as "src".`,
        ])
      }
      for (const to of ['read_only_data_source', './read_only_data_source/x']) {
        expect(await told(checkRigTargets, hankOf([rigged('a', copy(to))]))).toEqual([
          `error: hank[0].rigSetup[0].copy.to: Codon 1 (a): copy.to ${to} lies in read_only_data_source, which is read-only; choose a target beside it`,
        ])
      }
      const apart = hankOf([
        rigged('a', copy('src'), copy('src2'), copy('srcs/a')),
        rigged('b', copy('srcs/b')),
      ])
      expect(await told(checkRigTargets, apart)).toEqual([])
    },
  )

  it('are found inside of a tree that was copied before', async () => {
    const hankDir = await tempDir({ inMemory: true })
    await mkdir(join(hankDir, 'rig/app'), { recursive: true })
    await writeFile(join(hankDir, 'rig/app/config.json'), '{}')
    const overlaid = (to: string) => hankOf([rigged('a', copy('src')), rigged('b', copy(to, 'other'))])
    const place = (to: string) => places(checkRigTargets, overlaid(to), { hankDir })
    expect(await place('src/app/config.json')).toEqual(['warning hank[1].rigSetup[0].copy.to'])
    expect(await place('src/app')).toEqual(['warning hank[1].rigSetup[0].copy.to'])
    expect(await place('src/app/new.json')).toEqual([])
    expect(await place('src/new')).toEqual([])
  })

  it('are free again when the codon that made them archives them', async () => {
    const archiving = (...archiveOnSuccess: string[]) =>
      codonOf('a', { rigSetup: [copy('rig')], archiveOnSuccess })
    const again = rigged('b', copy('rig'))
    for (const pattern of ['rig', 'rig/', 'rig/**', '**']) {
      expect(await told(checkRigTargets, hankOf([archiving(pattern), again]))).toEqual([])
    }
    expect(await places(checkRigTargets, hankOf([archiving('other'), again]))).toHaveLength(1)
    expect(await places(checkRigTargets, hankOf([archiving('[', '!'), again]))).toHaveLength(1)

    const loop = loopOf('l', [rigged('a', copy('rig'))], { archiveOnSuccess: ['rig'] })
    expect(await told(checkRigTargets, hankOf([loop, again]))).toEqual([])
    const inside = loopOf('l', [rigged('a', copy('rig')), again], { archiveOnSuccess: ['rig'] })
    expect(await places(checkRigTargets, hankOf([inside]))).toHaveLength(1)
    const sameRig = codonOf('a', { rigSetup: [copy('rig'), copy('rig')], archiveOnSuccess: ['rig'] })
    expect(await places(checkRigTargets, hankOf([sameRig]))).toHaveLength(1)
  })

  it('are no reason to fall over a path that is very deep', async () => {
    const deep = 'a/'.repeat(20_000)
    const hank = hankOf([rigged('a', copy(deep), copy(deep), copy(`${deep}b`))])
    expect(await places(checkRigTargets, hank)).toEqual([
      ...[0, 1, 2].map(at => `error hank[0].rigSetup[${at}].copy.to`),
      'warning hank[0].rigSetup[1].copy.to',
    ])
  })
})
