import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  codon as codonOf,
  command,
  type HankFolder,
  hankFolder,
  jsonLines,
  loop as loopOf,
  rig,
} from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { type RunningCommand, scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const codon = (id: string, fields: object = {}) => codonOf(id, { name: `Part ${id}`, ...fields })
const place = (...items: readonly object[]) =>
  hankFolder({ meta: { name: 'Test hank', version: '1.0.0' }, hank: items })

describe('a run without a screen', () => {
  verifies(
    ['d2/exit-0-completed', 'd8a/tree-printed'],
    'prints the structure, a line for each thing that happens and a summary, and ends with 0',
    async () => {
      const at = await place(codon('a'), codon('b'))
      const { status, stdout, stderr } = await at.scripted()
      expect(status).toBe(0)
      expect(stderr).toMatch(/\[1\] Part a \(a\)[\s\S]*\[2\] Part b \(b\)/)
      expect(stdout).toMatch(/\d\d:\d\d:\d\d codon a started: Part a[\s\S]*codon b completed in/)
      expect(stderr).toMatch(/a +completed[\s\S]*b +completed[\s\S]*The hank is done/)
      expect(at.executions()).toEqual([expect.stringMatching(/\/test-hank-\d{8}-\d{6}-[0-9a-f]{6}$/)])
    },
  )

  verifies(
    ['7.3/startup-warnings', '7.3/startup-warnings-do-not-stop'],
    'prints warnings and goes on',
    async () => {
      const at = await place(codon('a'), codon('b', { name: 'Part a' }))
      const { status, stderr } = await at.scripted()
      expect(stderr).toMatch(/! Configuration warnings:\n- hank\.json:\d+:\d+: /)
      expect(status).toBe(0)
    },
  )

  verifies(['2.1/schema-added-on-startup'], 'adds $schema to a hank that has none', async () => {
    const at = await place(codon('a'))
    at.write({ 'hank.json': { hank: [codon('a')] } })
    expect((await at.scripted()).stderr).toContain('+ Added $schema to hank.json for editor support')
  })

  verifies(
    ['d3/resume-complete-message', 'd3/resume-complete-exit', 'd2/exit-0-nothing-left'],
    'has nothing left to do when it is started again',
    async () => {
      const at = await place(codon('a'))
      await at.scripted()
      const again = await at.scripted()
      expect(again.status).toBe(0)
      expect(again.stderr).toMatch(/Nothing is left to do in .* --start-new/)
      await at.scripted('--start-new')
      expect(at.executions().length).toBe(2)
    },
  )

  test('gives the agent its data by a link, from a flag or from standard input', async () => {
    const at = await place(codon('a'))
    mkdirSync(at.path('data'))
    await at.scripted('hank.json', 'data')
    expect(readlinkSync(at.workspace('read_only_data_source'))).toBe(at.path('data'))
    await at.scripted('--input', 'some words', '-e', at.path('own'))
    const source = at.path('own/agentRoot/read_only_data_source')
    const [name = ''] = readdirSync(source)
    expect(readFileSync(join(source, name), 'utf8')).toBe('some words')
  })

  test('runs rigs, loops, outputs and archives for real', async () => {
    const rigSetup = [
      { type: 'copy', copy: { from: 'template', to: 'src' } },
      { type: 'command', command: { run: 'echo made > by-command.md; pwd', workingDirectory: 'lastCopied' } },
    ]
    const outputFiles = [{ copy: ['*.md', 'src/**'], beforeCopy: [command('echo late > late.md')] }]
    const again = [codon('again', { onFailure: 'ignore' })]
    const loop = loopOf('twice', again, { archiveOnSuccess: ['again#0.md'] })
    const at = await place(codon('a', { rigSetup }), loop, codon('z', { outputFiles }))
    at.write({ 'template/start.txt': 'from the template' })
    const { status, stdout } = await at.scripted()
    expect(status).toBe(0)
    expect(stdout).toContain('agentRoot/src')
    const outputs = readdirSync(at.path('weave-results'), { recursive: true, encoding: 'utf8' }).sort()
    expect(outputs).toEqual([
      'a.md',
      'again#1.md',
      'late.md',
      'src',
      'src/by-command.md',
      'src/start.txt',
      'z.md',
    ])
    expect(existsSync(at.execution('rigArchive/twice/again#0.md'))).toBe(true)
  })
})

describe('the journal of an execution', () => {
  verifies(
    ['d2/command-journal'],
    'is printed whole, by type, by codon, from an event on, and as it grows',
    async () => {
      const loop = loopOf('l', [codon('b', { onFailure: 'ignore' })])
      const at = await place(codon('a'), loop)
      await at.scripted()
      const journal = (...words: readonly string[]) => at.weave('journal', ...words)
      const all = jsonLines(journal('--json').stdout)
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
      expect(journal('--type', 'codon.completed').stdout.trimEnd().split('\n').length).toBe(3)
      expect(journal('--type', 'codon.started', '--codon', 'b').stdout).toMatch(/b#0[\s\S]*b#1/)
      expect(journal('--type', 'codon.started', '--codon', 'b#1').stdout.trimEnd().split('\n').length).toBe(1)
      expect(
        journal('--since', String(all.length - 1))
          .stdout.trimEnd()
          .split('\n').length,
      ).toBe(1)
      expect(journal(basename(at.execution())).status).toBe(0)
      expect(journal('nothing')).toMatchObject({ status: 1, stderr: expect.stringContaining('weave list') })
      expect(journal('--type', 'codon.startd')).toMatchObject({ status: 2 })
      const follower = at.start('journal', '--follow', '--type', 'run.completed')
      await new Promise(resolve => follower.child.stdout?.once('data', resolve))
      expect(await follower.kill('SIGINT')).toBe(0)
    },
  )
})

describe('what goes wrong', () => {
  verifies(
    ['d2/exit-1-run-failed'],
    'a rig that fails is told with its words; the run can be resumed when it is mended',
    async () => {
      const at = await place(codon('a'), codon('b', rig('echo out of luck >&2; test -e mended')))
      const { status, stdout, stderr } = await at.scripted()
      expect(status).toBe(1)
      expect(stdout).toContain('out of luck')
      expect(stderr).toMatch(/The hank failed: b: Rig operation 1 failed/)
      writeFileSync(at.workspace('mended'), '')
      const again = await at.scripted()
      expect(again.status).toBe(0)
      expect(again.stdout).not.toContain('codon a started')
    },
  )

  test('a prompt file that is gone fails the codon with its name', async () => {
    const at = await place(
      codon('a', rig('rm ../../../../prompt.md || rm "$PROMPT"')),
      codon('b', { promptFile: 'prompt.md', promptText: undefined }),
    )
    at.write({ 'prompt.md': 'Do it.' })
    const { status, stderr } = await at.with({ PROMPT: at.path('prompt.md') }).scripted()
    expect(status).toBe(1)
    expect(stderr).toContain('promptFile prompt.md does not exist')
  })

  test('an output directory that cannot be written fails the run and says so', async () => {
    const at = await place(codon('a', { outputFiles: [{ copy: ['*.md'] }] }))
    at.write({ taken: 'a file where the directory should be' })
    const { status, stderr } = await at.scripted('-o', 'taken')
    expect(status).toBe(1)
    expect(stderr).toMatch(/The hank failed: a: .*taken/)
    rmSync(at.path('taken'))
    expect((await at.scripted('-o', 'taken')).status).toBe(0)
    expect(readdirSync(at.path('taken'))).toEqual(['a.md'])
  })

  verifies(
    ['d3/resume-changed-hank-fails', 'd3/resume-changed-hank-yes', 'd3/resume-frozen-plan'],
    'a changed hank is not resumed without a word, and then with the plan it was made with',
    async () => {
      const at = await place(codon('a', rig('false')))
      expect((await at.scripted()).status).toBe(1)
      at.setHank([codon('a'), codon('new')])
      const refused = await at.scripted()
      expect(refused.status).toBe(1)
      expect(refused.stderr).toMatch(/has changed[\s\S]*-y/)
      const agreed = await at.scripted('-y')
      expect(agreed.stderr).toContain('The hank failed: a: Rig operation 1 failed')
    },
  )
})

/** Starts a run and resolves when its output contains the words. */
async function startRun(at: HankFolder, words: string): Promise<RunningCommand> {
  const run = await at.startScripted()
  await run.until(words)
  return run
}

const slow = rig('echo rig is up; sleep 20 & wait')

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
        expect(existsSync(at.execution('.weave/lock.json'))).toBe(false)
        expect(existsSync(at.execution('.weave/state.json'))).toBe(true)
        expect(leftovers(at.execution())).toEqual([])
      }
    },
  )

  test('a second server on the same execution says who holds it', async () => {
    const at = await place(codon('a', slow))
    const run = await startRun(at, 'rig is up')
    const second = await at.scripted()
    expect(second.status).toBe(1)
    expect(second.stderr).toMatch(/process \d+|pid \d+/)
    await run.kill('SIGTERM')
  })

  verifies(
    ['d4/start-marks-crashed-run', 'd4/start-reruns-interrupted-codon', 'd4/start-ends-leftover-agents'],
    'SIGKILL is noticed at the next start: leftovers are ended, the codon runs again, the rest follows',
    async () => {
      const once = rig('echo rig is up; test -e "$HOME/go" || sleep 20 & wait')
      const at = await place(codon('a'), codon('b', once), codon('c'))
      const run = await startRun(at, 'rig is up')
      await run.kill('SIGKILL')
      at.write({ 'home/go': '' })
      const again = await at.scripted()
      expect(again.status).toBe(0)
      expect(again.stderr).toContain('The last run ended without saying so; b was under way and runs again.')
      expect(again.stdout).not.toContain('codon a started')
      expect(leftovers(at.execution())).toEqual([])
      const list = at.weave('list', '--json')
      expect(JSON.parse(list.stdout)).toMatchObject([{ status: 'completed', codons: 3, hank: 'Test hank' }])
    },
  )
})
