import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  codon,
  type HankFolder,
  hankFolder,
  hankFolderIn,
  jsonLines,
  lightAgents,
  lightCodon,
  rig,
} from '../support/hank-folder.ts'
import { tempDir } from '../support/temp-dir.ts'
import { launcher } from '../support/weave-command.ts'

/** Two hanks of one person, each run once with scripted agents; the second is the newer. */
async function twoHanks(): Promise<{ readonly one: HankFolder; readonly two: HankFolder }> {
  const root = await tempDir()
  const home = { HOME: join(root, 'home') }
  const named = (name: string) => ({ meta: { name, version: '1.0.0' }, hank: [codon('draft')] })
  const one = hankFolderIn(join(root, 'one'), named('First')).with(home)
  const two = hankFolderIn(join(root, 'two'), named('Second')).with(home)
  expect((await one.scripted()).status).toBe(0)
  expect((await two.scripted()).status).toBe(0)
  return { one, two }
}

const key = { ANTHROPIC_API_KEY: 'a-key-for-nobody' }

function executionOf(at: HankFolder, start: string): string {
  return at.executions().find(dir => basename(dir).startsWith(start)) ?? ''
}

describe('which execution is meant', () => {
  verifies(
    ['repair/execution-by-word', 'repair/diff-disk-second'],
    'a name, its beginning, a path and @last do for every command, as a word and after -e',
    async () => {
      const { one } = await twoHanks()
      const dir = executionOf(one, 'first')
      const words = [basename(dir), 'first-', dir, '@last']
      for (const word of words) {
        for (const named of [[word], ['-e', word]])
          expect(one.weave('journal', ...named).stderr).toBe(`First · ${basename(dir)}\n`)
        expect(one.weave('diff', 'draft', '-e', word).stderr).toContain(`First · ${basename(dir)}\n`)
      }
      for (const command of ['checkpoints', 'report', 'gc'])
        for (const named of [['first'], ['-e', 'first']]) expect(one.weave(command, ...named).status).toBe(0)
      expect(one.weave('rollback', 'draft', '--preview', '-e', 'first').status).toBe(0)
      expect(one.weave('attach', '-e', 'first').stderr).toContain(`No server is at work in ${dir}`)
      expect(one.with(key).weave('-e', 'first', '--skip-self-test')).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(`Nothing is left to do in ${dir}`),
      })

      expect(one.weave('journal', 'first', '-e', 'second')).toMatchObject({
        status: 2,
        stderr: 'Two executions are named: first and second. Leave out one of them.\n',
      })
      expect(one.weave('diff', 'disk', 'draft')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('disk can only be the second of the two: weave diff draft disk.'),
      })
    },
    120_000,
  )

  verifies(
    ['repair/execution-unknown'],
    'a name that exists nowhere starts nothing',
    async () => {
      const { one } = await twoHanks()
      const name = basename(executionOf(one, 'first'))
      const before = one.executions()
      const slip = name.replace('first', 'firts')
      for (const words of [
        ['journal', slip],
        ['-e', slip],
        ['rehearse', '-e', slip],
        ['-e', join(one.executionsDir, slip)],
        ['-e', 'firts'],
      ])
        expect(one.weave(...words)).toMatchObject({
          status: 1,
          stderr: expect.stringContaining(`Did you mean ${name}?`),
        })
      expect(one.weave('-e', 'mine')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/There is no execution mine\..*\n.*: -e \.\/mine\n/),
      })
      expect(existsSync(one.path(slip))).toBe(false)
      expect(one.executions()).toEqual(before)

      expect((await one.scripted('-n')).status).toBe(0)
      expect(one.weave('-e', 'first')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^2 executions begin with first:\n {2}first-.*\n {2}first-.*\n/),
      })
    },
    120_000,
  )

  verifies(
    ['repair/execution-of-this-hank', 'repair/execution-first-line'],
    'in the folder of a hank it is the newest of that hank, and the first line says which',
    async () => {
      const { one, two } = await twoHanks()
      const head = (at: HankFolder, ...words: string[]) => at.weave(...words).stderr.split('\n')[0]
      const first = `First · ${basename(executionOf(one, 'first'))}`
      const second = `Second · ${basename(executionOf(one, 'second'))}`
      const commands = [
        ['journal'],
        ['checkpoints'],
        ['diff', 'draft'],
        ['rollback', 'draft', '--preview'],
        ['report', '-o', '-'],
        ['report', '--costs'],
        ['attach'],
      ]
      for (const words of commands) expect([words, head(one, ...words)]).toEqual([words, first])
      expect(head(two, 'journal')).toBe(second)
      mkdirSync(one.path('elsewhere'))
      const elsewhere = spawnSync(process.execPath, [launcher, 'journal'], {
        cwd: one.path('elsewhere'),
        env: { PATH: process.env['PATH'], ...one.env },
        encoding: 'utf8',
      })
      expect(elsewhere.stderr).toBe(`${second}\n`)
      const { stdout, stderr } = one.weave('journal', '--json')
      expect(stderr).toBe('')
      expect(jsonLines(stdout).length).toBeGreaterThan(5)

      const third = hankFolderIn(one.path('../third'), [codon('draft')]).with(one.env)
      expect(third.weave('rollback', 'draft', '-y')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('has no execution yet'),
      })
    },
    120_000,
  )

  verifies(
    ['repair/execution-knows-itself', 'repair/go-on-lines'],
    'what is said to go on with works when pasted, in another folder, with a space in its path',
    async () => {
      const at = await rehearsedIn("a home that isn't plain")
      const failed = at.rehearse('-n', '--headless', '--max-cost', '3', '--token', 'a-secret-word')
      expect(failed.status).toBe(1)
      expect(failed.stderr).not.toContain('a-secret-word')
      const [goOn = ''] = pasteable(failed.stderr)
      expect(goOn).toMatch(/^weave rehearse -e '.*' --max-cost 3 --headless$/)
      const mended = at.with({ MENDED: 'yes' })
      for (const command of pasteable(failed.stderr))
        expect(paste(mended, command)).toMatchObject({ status: 0, stderr: expect.any(String) })
      expect(at.executions().length).toBe(1)
      expect(at.read('only.md')).toBe('mended')

      const back = mended.weave('rollback', 'only:start', '-y')
      const [again = '', undo = ''] = pasteable(back.stderr)
      expect(undo).toMatch(/^weave rollback --undo -e /)
      expect(paste(mended, again).status).toBe(0)
      expect(paste(mended, `${undo} -y`).status).toBe(0)
      const [dir = ''] = at.executions()
      expect(paste(mended, `weave -e '${dir.replaceAll("'", String.raw`'\''`)}'`)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('REHEARSAL'),
      })
      expect(at.executions().length).toBe(1)
    },
    120_000,
  )

  verifies(
    ['repair/go-on-lines'],
    'a run that is not to be mixed with another kind says what it is gone on with',
    async () => {
      const at = await hankFolder([codon('only', rig('test -n "$MENDED"'))])
      expect((await at.scripted('-n')).status).toBe(1)
      const refused = at.rehearse('-e', at.execution())
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain(`Go on with it: weave -e ${at.execution()}`)
    },
    120_000,
  )
})

/** A hank whose rig fails until `MENDED` is set, with a script, and a home of this name. */
async function rehearsedIn(home: string): Promise<HankFolder> {
  const script = {
    codons: { only: [{ use: 'bash', input: { command: 'printf mended > only.md' } }, { say: 'Done.' }] },
  }
  const at = await hankFolder([lightCodon('only', rig('test -n "$MENDED"'))], {
    'weave.json': lightAgents,
    'rehearsal.json': script,
  })
  return at.with({ HOME: at.path(home) })
}

/** The commands that a person is told to go on with. */
function pasteable(text: string): readonly string[] {
  const lines = /^(?:Done\. )?(?:Go on with:?|Take it back with:|Report|Run:) +(weave .*)$/gm
  return [...text.matchAll(lines)].map(([, command = '']) => command).sort()
}

/** In a shell that stands somewhere else. */
function paste(at: HankFolder, command: string) {
  const bin = at.path('bin')
  const elsewhere = at.path('elsewhere')
  for (const dir of [bin, elsewhere]) mkdirSync(dir, { recursive: true })
  writeFileSync(join(bin, 'weave'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  chmodSync(join(bin, 'weave'), 0o755)
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: elsewhere,
    env: { ...at.env, PATH: `${bin}:${process.env['PATH']}` },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}
