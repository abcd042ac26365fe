import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const place = (...items: readonly object[]) => hankFolder(items, { 'kit/tool': 'tool' })

/** To its good end. */
async function run(at: HankFolder, ...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await at.scripted(
    ...(words.length === 0 ? ['--headless', '-y', '-o', 'out'] : words),
  )
  expect(status, `${stdout}\n${stderr}`).toBe(0)
  return stdout
}

const errorsOf = (at: HankFolder) => at.events('error').map(({ data }) => data)

describe('a rig failure that is allowed', () => {
  const failing = [
    command('ln -s /nowhere lib; exit 3', { allowFailure: true }),
    { type: 'copy', copy: { from: 'kit', to: 'lib' }, allowFailure: true },
    command('true'),
  ]
  verifies(
    ['d14/tolerated-rig-failure'],
    'is told to clients, in the log and on the screen, and the codon goes on',
    async () => {
      const at = await place(codon('a', { rigSetup: failing }))
      const stdout = await run(at)
      expect(stdout).toContain('operation: Rig operation 1 of a failed and is passed over: command')
      expect(stdout).toContain('operation: Rig operation 2 of a failed and is passed over: copy')
      expect(errorsOf(at)).toMatchObject([
        {
          severity: 'operation',
          codon: 'a',
          context: { operation: 0, type: 'command', exit: { type: 'error', code: 3 } },
        },
        { severity: 'operation', codon: 'a', context: { operation: 1, type: 'copy' } },
      ])
      const log = readFileSync(at.execution('.weave/logs/server.log'), 'utf8')
      expect(log).toContain('Rig operation 1 of a failed and is passed over')
      expect(log).toContain('Rig operation 2 of a failed and is passed over')
    },
    60_000,
  )

  verifies(
    ['d14/tolerated-rig-failure'],
    'is told also when it is whoever starts the hank who allows it',
    async () => {
      const at = await place(codon('a', rig('exit 3')))
      const stdout = await run(at, '--headless', '-y', '--ignore-rig-failures')
      expect(stdout).toContain('operation: Rig operation 1 of a failed and is passed over')
      expect(errorsOf(at)).toMatchObject([{ severity: 'operation', context: { operation: 0 } }])
    },
    60_000,
  )
})

describe('patterns of outputs and archives', () => {
  verifies(
    ['d14/idle-pattern-warning'],
    'that match nothing are named at run time, and so are outputs under another name',
    async () => {
      const at = await place(
        codon('a', {
          outputFiles: [{ copy: ['a.md', 'reports/*.pdf', '!*.tmp'] }],
          archiveOnSuccess: ['scratch/**', 'a.md'],
        }),
      )
      at.write({ 'out/a.md': 'mine' })
      const stdout = await run(at)
      expect(stdout).toContain('warning: output files: the pattern reports/*.pdf matches nothing')
      expect(stdout).toContain('warning: archiveOnSuccess of a: the pattern scratch/** matches nothing')
      expect(stdout).toMatch(
        /warning: output files: a\.md is taken in .*; the new one is a_1_\d{8}-\d{6}\.md/,
      )
      expect(errorsOf(at).map(({ severity, codon: id }) => [severity, id])).toEqual(
        Array.from({ length: 3 }, () => ['warning', 'a']),
      )
      expect(readFileSync(join(at.cwd, 'out/a.md'), 'utf8')).toBe('mine')
    },
    60_000,
  )

  verifies(
    ['attack/deep-directory'],
    'with a fixed part are walked from there: a deep directory elsewhere is in nobody’s way',
    async () => {
      const deep =
        'mkdir -p out && echo x > out/x && d=deep; for i in $(seq 200); do d=$d/d; done; mkdir -p $d'
      const at = await place(
        codon('a', { ...rig(deep), outputFiles: [{ copy: ['out/**'] }], archiveOnSuccess: ['out/x'] }),
      )
      await run(at)
      expect(readFileSync(join(at.cwd, 'out/out/x'), 'utf8')).toBe('x\n')
      expect(readFileSync(at.execution('rigArchive/a/out/x'), 'utf8')).toBe('x\n')
    },
    60_000,
  )

  verifies(
    ['d14/archive-needed-later'],
    'that would move a directory which is needed later are a warning of the check',
    async () => {
      const at = await place(
        codon('a', { archiveOnSuccess: ['workspace/artifact'] }),
        codon('b', { outputFiles: [{ copy: ['workspace/artifact/**/*'] }] }),
      )
      const { status, stdout, stderr } = await at.scripted('--validate')
      expect(status).toBe(0)
      expect(`${stdout}${stderr}`).toContain(
        'Codon 1 (a): archiveOnSuccess workspace/artifact moves that directory with everything in it',
      )
    },
    60_000,
  )
})

describe('checkpointedFiles', () => {
  verifies(
    ['d14/gitignore-not-read'],
    'hold what .gitignore files of the workspace would leave out',
    async () => {
      const hidden = "mkdir sub; echo '*' > .gitignore; echo '*' > sub/.gitignore; echo one > sub/x.txt"
      const at = await place(
        codon('a', { ...rig(hidden), checkpointedFiles: ['**'] }),
        codon('b', { ...rig('echo two > sub/x.txt; rm .gitignore'), checkpointedFiles: ['**'] }),
      )
      await run(at)
      await run(at, 'rollback', 'a', '-y')
      expect(at.read('sub/x.txt')).toBe('one\n')
      expect(at.read('.gitignore')).toBe('*\n')
    },
    60_000,
  )

  verifies(
    ['d14/later-selection'],
    'of a later codon alone: such a file goes back to what it was when that codon began',
    async () => {
      const at = await place(
        codon('a', rig('echo early > notes.txt')),
        codon('b', rig('echo meanwhile > notes.txt')),
        codon('c', { ...rig('echo late > notes.txt'), checkpointedFiles: ['notes.txt'] }),
      )
      await run(at)
      await run(at, 'rollback', 'a', '-y')
      expect(at.read('notes.txt')).toBe('meanwhile\n')
      expect(at.read('b.md')).toBeUndefined()
    },
    60_000,
  )

  verifies(
    ['d14/selection-any-list'],
    'of any codon select a file, whatever an exclusion in the list of another says',
    async () => {
      const at = await place(
        codon('a', {
          ...rig('echo one > secret.txt; echo one > open.txt; echo one > never.txt'),
          checkpointedFiles: ['*.txt', '!secret.txt', '!never.txt'],
        }),
        codon('b', { checkpointedFiles: ['secret.txt'] }),
        codon('c', rig('echo two > secret.txt; echo two > open.txt; echo two > never.txt')),
      )
      await run(at)
      await run(at, 'rollback', 'b', '-y')
      expect([at.read('secret.txt'), at.read('open.txt'), at.read('never.txt')]).toEqual([
        'one\n',
        'one\n',
        'two\n',
      ])
    },
    60_000,
  )
})
