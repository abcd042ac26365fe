import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { leftovers } from '../support/leftovers.ts'
import { launcher, runCli } from '../support/run-cli.ts'
import { type RunningCommand, startCommand } from '../support/running-command.ts'
import { runScripted, scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

beforeAll(scriptedWeave, 120_000)

const codon = (id: string, more: object = {}) => ({
  id,
  name: `Part ${id}`,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: `Work on ${id}.`,
  checkpointedFiles: ['*.md'],
  ...more,
})

interface Place {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
}

async function place(...items: readonly object[]): Promise<Place> {
  const dir = await tempDir()
  writeFileSync(
    join(dir, 'hank.json'),
    JSON.stringify({ $schema: 'x', meta: { name: 'Test hank', version: '1.0.0' }, hank: items }),
  )
  return { dir, env: { HOME: join(dir, 'home') } }
}

const weave = ({ dir, env }: Place, ...words: readonly string[]) => runScripted(words, { cwd: dir, env })
const executions = ({ dir }: Place) => readdirSync(join(dir, 'home/.weave-executions')).sort()
const inExecution = (at: Place, ...path: readonly string[]) =>
  join(at.dir, 'home/.weave-executions', executions(at)[0] ?? '', ...path)

describe('a run without a screen', () => {
  verifies(
    ['d2/exit-0-completed', 'd8a/tree-printed'],
    'prints the structure, a line for each thing that happens and a summary, and ends with 0',
    async () => {
      const at = await place(codon('a'), codon('b'))
      const { status, stdout, stderr } = await weave(at)
      expect(status).toBe(0)
      expect(stderr).toMatch(/\[1\] Part a \(a\)[\s\S]*\[2\] Part b \(b\)/)
      expect(stdout).toMatch(/\d\d:\d\d:\d\d codon a started: Part a[\s\S]*codon b completed in/)
      expect(stderr).toMatch(/a +completed[\s\S]*b +completed[\s\S]*The hank is done/)
      expect(executions(at)).toEqual([expect.stringMatching(/^test-hank-\d{8}-\d{6}-[0-9a-f]{6}$/)])
    },
  )

  verifies(
    ['7.3/startup-warnings', '7.3/startup-warnings-do-not-stop'],
    'prints warnings and goes on',
    async () => {
      const at = await place(codon('a'), codon('b', { name: 'Part a' }))
      const { status, stderr } = await weave(at)
      expect(stderr).toMatch(/! Configuration warnings:\n- hank\.json:\d+:\d+: /)
      expect(status).toBe(0)
    },
  )

  verifies(['2.1/schema-added-on-startup'], 'adds $schema to a hank that has none', async () => {
    const at = await place(codon('a'))
    writeFileSync(join(at.dir, 'hank.json'), JSON.stringify({ hank: [codon('a')] }))
    expect((await weave(at)).stderr).toContain('+ Added $schema to hank.json for editor support')
  })

  verifies(
    ['d3/resume-complete-message', 'd3/resume-complete-exit', 'd2/exit-0-nothing-left'],
    'has nothing left to do when it is started again',
    async () => {
      const at = await place(codon('a'))
      await weave(at)
      const again = await weave(at)
      expect(again.status).toBe(0)
      expect(again.stderr).toMatch(/Nothing is left to do in .* --start-new/)
      await weave(at, '--start-new')
      expect(executions(at).length).toBe(2)
    },
  )

  test('gives the agent its data by a link, from a flag or from standard input', async () => {
    const at = await place(codon('a'))
    mkdirSync(join(at.dir, 'data'))
    await weave(at, 'hank.json', 'data')
    expect(readlinkSync(inExecution(at, 'agentRoot/read_only_data_source'))).toBe(join(at.dir, 'data'))
    await weave(at, '--input', 'some words', '-e', join(at.dir, 'own'))
    const source = join(at.dir, 'own/agentRoot/read_only_data_source')
    const [name = ''] = readdirSync(source)
    expect(readFileSync(join(source, name), 'utf8')).toBe('some words')
  })

  test('runs rigs, loops, outputs and archives for real', async () => {
    const rigSetup = [
      { type: 'copy', copy: { from: 'template', to: 'src' } },
      { type: 'command', command: { run: 'echo made > by-command.md; pwd', workingDirectory: 'lastCopied' } },
    ]
    const outputFiles = [
      {
        copy: ['*.md', 'src/**'],
        beforeCopy: [{ type: 'command', command: { run: 'echo late > late.md' } }],
      },
    ]
    const loop = {
      type: 'loop',
      id: 'twice',
      name: 'Twice',
      terminateOn: { type: 'iterationLimit', limit: 2 },
      codons: [codon('again', { onFailure: 'ignore' })],
      archiveOnSuccess: ['again#0.md'],
    }
    const at = await place(codon('a', { rigSetup }), loop, codon('z', { outputFiles }))
    mkdirSync(join(at.dir, 'template'))
    writeFileSync(join(at.dir, 'template/start.txt'), 'from the template')
    const { status, stdout } = await weave(at)
    expect(status).toBe(0)
    expect(stdout).toContain('agentRoot/src')
    const outputs = readdirSync(join(at.dir, 'weave-results'), { recursive: true, encoding: 'utf8' }).sort()
    expect(outputs).toEqual([
      'a.md',
      'again#1.md',
      'late.md',
      'src',
      'src/by-command.md',
      'src/start.txt',
      'z.md',
    ])
    expect(existsSync(inExecution(at, 'rigArchive/twice/again#0.md'))).toBe(true)
  })
})

describe('the journal of an execution', () => {
  verifies(
    ['d2/command-journal'],
    'is printed whole, by type, by codon, from an event on, and as it grows',
    async () => {
      const loop = {
        type: 'loop',
        id: 'l',
        name: 'L',
        terminateOn: { type: 'iterationLimit', limit: 2 },
        codons: [codon('b', { onFailure: 'ignore' })],
      }
      const at = await place(codon('a'), loop)
      await weave(at)
      const journal = (...words: readonly string[]) =>
        runCli(['journal', ...words], { cwd: at.dir, env: at.env })
      const all = journal('--json').stdout.trimEnd().split('\n')
      expect(all.map(line => (JSON.parse(line) as { seq: number }).seq)).toEqual(
        all.map((_, index) => index + 1),
      )
      expect(journal('--type', 'codon.completed').stdout.trimEnd().split('\n').length).toBe(3)
      expect(journal('--type', 'codon.started', '--codon', 'b').stdout).toMatch(/b#0[\s\S]*b#1/)
      expect(journal('--type', 'codon.started', '--codon', 'b#1').stdout.trimEnd().split('\n').length).toBe(1)
      expect(
        journal('--since', String(all.length - 1))
          .stdout.trimEnd()
          .split('\n').length,
      ).toBe(1)
      expect(journal(executions(at)[0] ?? '').status).toBe(0)
      expect(journal('nothing')).toMatchObject({ status: 1, stderr: expect.stringContaining('weave list') })
      expect(journal('--type', 'codon.startd')).toMatchObject({ status: 2 })
      const follower = spawn(process.execPath, [launcher, 'journal', '--follow', '--type', 'run.completed'], {
        cwd: at.dir,
        env: { PATH: process.env['PATH'], ...at.env },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const ended = new Promise<number | null>(resolve => follower.on('close', resolve))
      await new Promise(resolve => follower.stdout.once('data', resolve))
      follower.kill('SIGINT')
      expect(await ended).toBe(0)
    },
  )
})

describe('what goes wrong', () => {
  verifies(
    ['d2/exit-1-run-failed'],
    'a rig that fails is told with its words; the run can be resumed when it is mended',
    async () => {
      const rigSetup = [{ type: 'command', command: { run: 'echo out of luck >&2; test -e mended' } }]
      const at = await place(codon('a'), codon('b', { rigSetup }))
      const { status, stdout, stderr } = await weave(at)
      expect(status).toBe(1)
      expect(stdout).toContain('out of luck')
      expect(stderr).toMatch(/The hank failed: b: Rig operation 1 failed/)
      writeFileSync(inExecution(at, 'agentRoot/mended'), '')
      const again = await weave(at)
      expect(again.status).toBe(0)
      expect(again.stdout).not.toContain('codon a started')
    },
  )

  test('a prompt file that is gone fails the codon with its name', async () => {
    const at = await place(
      codon('a', {
        rigSetup: [{ type: 'command', command: { run: 'rm ../../../../prompt.md || rm "$PROMPT"' } }],
      }),
      codon('b', { promptFile: 'prompt.md', promptText: undefined }),
    )
    writeFileSync(join(at.dir, 'prompt.md'), 'Do it.')
    const env = { ...at.env, PROMPT: join(at.dir, 'prompt.md') }
    const { status, stderr } = await weave({ ...at, env })
    expect(status).toBe(1)
    expect(stderr).toContain('promptFile prompt.md does not exist')
  })

  test('an output directory that cannot be written fails the run and says so', async () => {
    const at = await place(codon('a', { outputFiles: [{ copy: ['*.md'] }] }))
    writeFileSync(join(at.dir, 'taken'), 'a file where the directory should be')
    const { status, stderr } = await weave(at, '-o', 'taken')
    expect(status).toBe(1)
    expect(stderr).toMatch(/The hank failed: a: .*taken/)
    rmSync(join(at.dir, 'taken'))
    expect((await weave(at, '-o', 'taken')).status).toBe(0)
    expect(readdirSync(join(at.dir, 'taken'))).toEqual(['a.md'])
  })

  verifies(
    ['d3/resume-changed-hank-fails', 'd3/resume-changed-hank-yes', 'd3/resume-frozen-plan'],
    'a changed hank is not resumed without a word, and then with the plan it was made with',
    async () => {
      const failing = { rigSetup: [{ type: 'command', command: { run: 'false' } }] }
      const at = await place(codon('a', failing))
      expect((await weave(at)).status).toBe(1)
      writeFileSync(
        join(at.dir, 'hank.json'),
        JSON.stringify({ $schema: 'x', hank: [codon('a'), codon('new')] }),
      )
      const refused = await weave(at)
      expect(refused.status).toBe(1)
      expect(refused.stderr).toMatch(/has changed[\s\S]*-y/)
      const agreed = await weave(at, '-y')
      expect(agreed.stderr).toContain('The hank failed: a: Rig operation 1 failed')
    },
  )
})

/** Starts a run and resolves when its output contains the words. */
async function startRun({ dir, env }: Place, words: string): Promise<RunningCommand> {
  const run = startCommand(await scriptedWeave(), [], { cwd: dir, env })
  await run.until(words)
  return run
}

const slow = { rigSetup: [{ type: 'command', command: { run: 'echo rig is up; sleep 20 & wait' } }] }

describe('signals', () => {
  verifies(
    ['d2/exit-130-sigint', 'd2/exit-143-sigterm', 'd2/first-signal-graceful'],
    'end a run gracefully, with the code of the signal and nothing left behind',
    async () => {
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const) {
        const at = await place(codon('a'), codon('b', slow))
        const run = await startRun(at, 'rig is up')
        expect(await run.kill(signal)).toBe(code)
        expect(existsSync(inExecution(at, '.weave/lock.json'))).toBe(false)
        expect(existsSync(inExecution(at, '.weave/state.json'))).toBe(true)
        expect(leftovers(inExecution(at))).toEqual([])
      }
    },
  )

  test('a second server on the same execution says who holds it', async () => {
    const at = await place(codon('a', slow))
    const run = await startRun(at, 'rig is up')
    const second = await weave(at)
    expect(second.status).toBe(1)
    expect(second.stderr).toMatch(/process \d+|pid \d+/)
    await run.kill('SIGTERM')
  })

  verifies(
    ['d4/start-marks-crashed-run', 'd4/start-reruns-interrupted-codon', 'd4/start-ends-leftover-agents'],
    'SIGKILL is noticed at the next start: leftovers are ended, the codon runs again, the rest follows',
    async () => {
      const once = {
        rigSetup: [
          { type: 'command', command: { run: 'echo rig is up; test -e "$HOME/go" || sleep 20 & wait' } },
        ],
      }
      const at = await place(codon('a'), codon('b', once), codon('c'))
      const run = await startRun(at, 'rig is up')
      await run.kill('SIGKILL')
      mkdirSync(join(at.dir, 'home'), { recursive: true })
      writeFileSync(join(at.dir, 'home/go'), '')
      const again = await weave(at)
      expect(again.status).toBe(0)
      expect(again.stderr).toContain('The last run ended without saying so')
      expect(again.stdout).not.toContain('codon a started')
      expect(leftovers(inExecution(at))).toEqual([])
      const list = runCli(['list', '--json'], { cwd: at.dir, env: at.env })
      expect(JSON.parse(list.stdout)).toMatchObject([{ status: 'completed', codons: 3, hank: 'Test hank' }])
    },
  )
})
