import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  codon,
  folderAt,
  type HankFolder,
  hankFolder,
  jsonLines,
  loop as loopOf,
  rig,
} from '../support/hank-folder.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const run = (at: HankFolder, ...words: readonly string[]) => at.scripted(...words)

/** All events of a run, as `--json` prints them. */
async function eventsOf(at: HankFolder, ...words: readonly string[]) {
  const { stdout, stderr, status } = await run(at, '--json', ...words)
  return { events: jsonLines(stdout), stderr, status }
}

interface PrintedPlan {
  readonly items: readonly {
    readonly id: string
    readonly idleTimeoutMs: number
    readonly model: { readonly id: string; readonly prices?: object }
  }[]
}

/** The plan as the journal has it. */
async function planOf(at: HankFolder, ...words: readonly string[]) {
  const { events, stderr } = await eventsOf(at, ...words)
  const told = events.findIndex(({ type }) => type === 'preflight.result')
  const plan = events[told]?.data['plan'] as PrintedPlan | undefined
  if (!plan) throw new Error(stderr)
  return { plan, told, events }
}

const modelsOf = ({ items }: PrintedPlan) => items.map(({ model }) => model.id)

describe('models', () => {
  const hank = { overrides: { model: 'haiku' }, hank: [codon('own'), codon('none', { model: undefined })] }

  verifies(
    ['2.2/model-fallback', '2.8/model-hank-overrides-fallback'],
    'of a hank are only for codons without one',
    async () => {
      const { plan } = await planOf(await hankFolder(hank))
      expect(modelsOf(plan)).toEqual([
        expect.stringMatching(/^claude-sonnet-/),
        expect.stringMatching(/^claude-haiku-/),
      ])
    },
  )

  verifies(
    [
      '2.8/model-override-flag',
      '2.8/model-override-environment',
      '2.8/model-override-file',
      'd8a/model-optional',
      'd1/product-names',
    ],
    'from a flag, a variable or weave.json are for every codon, also for one that names none',
    async () => {
      const opus = expect.stringMatching(/^claude-opus-/)
      const bare = { hank: [codon('own'), codon('none', { model: undefined })] }
      const flag = await planOf(await hankFolder(bare), '--model', 'opus')
      expect(modelsOf(flag.plan)).toEqual([opus, opus])
      const there = await hankFolder(bare)
      const variable = await planOf(there.with({ WEAVE_RUNTIME_MODEL: 'opus' }))
      expect(modelsOf(variable.plan)).toEqual([opus, opus])
      const file = await planOf(await hankFolder(hank, { 'weave.json': { model: 'opus' } }))
      expect(modelsOf(file.plan)).toEqual([opus, opus])
    },
  )
})

describe('the plan', () => {
  verifies(
    [
      'd3/plan-journaled',
      'd11/preflight-result',
      '2.3/shim-idle-timeout-precedence',
      '2.2/shim-idle-timeout',
    ],
    'is in the journal before anything runs, with models, prices and the idle limit that is nearest',
    async () => {
      const at = await hankFolder(
        { overrides: { shimIdleTimeout: 50 }, hank: [codon('own', { shimIdleTimeout: 40 }), codon('none')] },
        { 'weave.json': { shimIdleTimeout: 60 } },
      )
      const { plan, told, events } = await planOf(at)
      expect(plan.items).toMatchObject([
        { id: 'own', idleTimeoutMs: 40_000, model: { prices: expect.any(Object) } },
        { id: 'none', idleTimeoutMs: 50_000, model: { prices: expect.any(Object) } },
      ])
      expect(told).toBeLessThan(events.findIndex(({ type }) => type === 'run.started'))
    },
  )

  verifies(
    ['d2/flag-shim-idle-timeout'],
    'has the idle limit of --shim-idle-timeout for codons without one, above that of weave.json',
    async () => {
      const at = await hankFolder(
        { hank: [codon('own', { shimIdleTimeout: 40 }), codon('none')] },
        { 'weave.json': { shimIdleTimeout: 60 } },
      )
      const { plan } = await planOf(at, '--shim-idle-timeout', '70')
      expect(plan.items.map(({ idleTimeoutMs }) => idleTimeoutMs)).toEqual([40_000, 70_000])
    },
  )

  verifies(
    ['1/hank-is-immutable', '1/items-run-in-order', '1/runtime-file-optional'],
    'is what runs, in its order, also when the file is edited meanwhile and without weave.json',
    async () => {
      const edits = rig('echo "{}" > "$HOME/../hank.json"')
      const loop = loopOf('l', [codon('x', { onFailure: 'ignore' })])
      const at = await hankFolder({ hank: [codon('b', edits), loop, codon('a')] })
      const { events, status } = await eventsOf(at)
      expect(status).toBe(0)
      expect(readFileSync(join(at.cwd, 'hank.json'), 'utf8')).toBe('{}\n')
      const started = events.filter(({ type }) => type === 'codon.started').map(({ data }) => data['codonId'])
      expect(started).toEqual(['b', 'x#0', 'x#1', 'a'])
    },
  )
})

describe('the words after the command', () => {
  verifies(
    ['d2/default-hank-in-data', '1/hank-file-required'],
    'without a hank here, that of the data is used; without any nothing starts',
    async () => {
      const at = folderAt(await tempDir())
      mkdirSync(at.path('data'))
      const none = await run(at, 'data')
      expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining('does not exist') })
      expect(existsSync(at.executionsDir)).toBe(false)
      at.write({ 'data/hank.json': { $schema: 'x', hank: [codon('in-data')] } })
      const some = await run(at, 'data')
      expect(some.status).toBe(0)
      expect(some.stdout).toContain('codon in-data completed')
    },
  )

  verifies(
    ['d3/config-flag', 'd2/flag-output'],
    '--runtime-config names the settings, -o and --output the directory of outputs',
    async () => {
      const at = await hankFolder(
        { hank: [codon('a', { outputFiles: [{ copy: ['*.md'] }] })] },
        { 'weave.json': { outputDirectory: 'one' }, 'other.json': { outputDirectory: 'two' } },
      )
      expect((await run(at, '--runtime-config', 'other.json')).status).toBe(0)
      expect([existsSync(join(at.cwd, 'one')), readdirSync(join(at.cwd, 'two'))]).toEqual([false, ['a.md']])
      expect((await run(at, '-n', '-o', 'three')).status).toBe(0)
      expect((await run(at, '-n', '--output', 'four')).status).toBe(0)
      expect([existsSync(join(at.cwd, 'one')), readdirSync(join(at.cwd, 'three'))]).toEqual([false, ['a.md']])
      expect(readdirSync(join(at.cwd, 'four'))).toEqual(['a.md'])
    },
  )

  verifies(
    ['d2/flag-force', 'd2/flag-no-wipe'],
    '--force uses a directory again, and with --no-wipe leaves the files of the agents there',
    async () => {
      const at = await hankFolder([codon('a')])
      const own = join(at.cwd, 'own')
      const anew = ['--start-new', '-e', own]
      expect((await run(at, '-e', own)).status).toBe(0)
      writeFileSync(join(own, 'agentRoot/mine.txt'), 'mine')
      expect(await run(at, ...anew)).toMatchObject({ status: 1, stderr: expect.stringContaining('--force') })
      expect((await run(at, ...anew, '--force', '--no-wipe')).status).toBe(0)
      expect(existsSync(join(own, 'agentRoot/mine.txt'))).toBe(true)
      expect((await run(at, ...anew, '--force')).status).toBe(0)
      expect(existsSync(join(own, 'agentRoot/mine.txt'))).toBe(false)
      expect(existsSync(join(own, 'agentRoot/a.md'))).toBe(true)
    },
  )

  verifies(
    ['d2/flag-ignore-rig-failures', 'd8/abort-headless', '2.3/rig-setup-failure'],
    '--ignore-rig-failures lets a codon begin whose rig failed; without it a run without a screen ends with 1',
    async () => {
      const at = await hankFolder([codon('a', rig('exit 3'))])
      const strict = await eventsOf(at)
      expect(strict.status).toBe(1)
      const end = strict.events.find(({ type }) => type === 'codon.completed')
      expect(end?.data).toMatchObject({ success: false, failureReason: { retriable: true } })
      expect((await run(at, '--start-new', '--ignore-rig-failures')).status).toBe(0)
    },
  )

  verifies(['d2/flag-log-level'], '--log-level says what is in the log', async () => {
    const at = await hankFolder([codon('a')])
    const logOf = async (level: string) => {
      const own = join(at.cwd, level)
      expect((await run(at, '-e', own, '--log-level', level)).status).toBe(0)
      const file = join(own, '.weave/logs/server.log')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    }
    expect(await logOf('info')).toContain(' INFO ')
    expect(await logOf('error')).not.toContain(' INFO ')
    expect(await run(at, '--log-level', 'loud')).toMatchObject({
      status: expect.not.toBeOneOf([0]),
      stderr: expect.stringContaining('loud'),
    })
  })
})

/** Runs the command on a terminal and gives an answer to each question that it asks. */
async function answering(program: string, { cwd, env }: HankFolder, answers: readonly string[]) {
  const command = `'${process.execPath}' '${program}' --headless`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  })
  let stdout = ''
  let asked = 0
  child.stdout.on('data', chunk => {
    stdout += String(chunk)
    if (stdout.split('/N] ').length - 1 > asked) child.stdin.write(`${answers[asked++]}\n`)
  })
  const [status] = await once(child, 'close')
  return { status: status as number, stdout }
}

describe('a confirmation', () => {
  /** An execution that failed, whose hank has been mended since. */
  async function changed(): Promise<HankFolder> {
    const at = await hankFolder([codon('a', rig('test -e "$HOME/go"'))])
    expect((await run(at)).status).toBe(1)
    at.write({ 'home/go': '' })
    at.setHank([codon('a', rig('test -e "$HOME/go"')), codon('b')])
    return at
  }

  verifies(
    ['d2/flag-yes', 'd2/confirmation-without-terminal'],
    'is answered by -y and --yes, and without a terminal named as what is missing',
    async () => {
      const at = await changed()
      const refused = await run(at)
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/has changed[\s\S]*add -y/) })
      expect((await run(at, '-y')).status).toBe(0)
      for (const yes of ['-y', '--yes']) {
        const back = await at.scripted('rollback', 'a:start', yes)
        expect(back.status, back.stderr).toBe(0)
      }
      expect((await at.scripted('rollback', 'a:start')).stderr).toContain('add -y')
      const again = await changed()
      expect((await run(again, '--yes')).status).toBe(0)
    },
  )

  verifies(
    ['d3/resume-changed-hank-asks', 'repair/adopt-shows-first'],
    'is asked for on a terminal',
    async () => {
      const program = await scriptedWeave()
      for (const [answers, status, plans] of [
        [['n'], 1, 1],
        [['y'], 0, 1],
        // Adopting asks once more, with everything shown that follows from it.
        [['a', 'y'], 0, 2],
        [['a', 'n'], 1, 1],
        // Ctrl-D says no.
        [['a', '\u0004'], 1, 1],
      ] as const) {
        const at = await changed()
        const asked = await answering(program, at, answers)
        expect(asked.stdout).toMatch(/The hank has changed[\s\S]*\[y\/a\/N\]/)
        expect(asked.status, asked.stdout).toBe(status)
        expect(at.events('preflight.result')).toHaveLength(plans)
      }
    },
  )
})

describe('required variables', () => {
  verifies(
    ['2.1/requirements-env-checked-at-startup', '2.1/requirements-env-checked-in-validate'],
    'that are not set stop a start and fail --validate',
    async () => {
      const at = await hankFolder({ requirements: { env: ['NEEDED_HERE'] }, hank: [codon('a')] })
      for (const words of [[], ['--validate']]) {
        const { status, stdout, stderr } = await run(at, ...words)
        expect([status, `${stdout}${stderr}`]).toEqual([1, expect.stringContaining('NEEDED_HERE')])
      }
      expect(existsSync(at.executionsDir)).toBe(false)
      const set = at.with({ NEEDED_HERE: '1' })
      expect((await run(set, '--validate')).status).toBe(0)
      expect((await run(set)).status).toBe(0)
    },
  )
})

describe('data that takes too long to look through', () => {
  verifies(['d3/data-hash-limit-warning'], 'is told with a warning', async () => {
    const at = await hankFolder({ hank: [codon('a')] }, { 'weave.json': { dataHashTimeLimit: 1 } })
    const base = join(at.cwd, 'data')
    for (let folder = 0; folder < 150; folder++) mkdirSync(join(base, `${folder}/x/y`), { recursive: true })
    const { status, stderr } = await run(at, 'hank.json', 'data')
    expect(status).toBe(0)
    expect(stderr).toMatch(/Looking through the data .* took longer than 1 ms/)
    rmSync(base, { recursive: true })
  })
})

describe('a signal', () => {
  verifies(
    ['d2/second-signal-at-once'],
    'that comes a second time does not wait for what is under way',
    async () => {
      const deaf = rig('trap "" TERM; echo rig is up; while :; do sleep 0.1; done')
      const at = await hankFolder([codon('a', deaf)])
      const started = async (name: string) => {
        const running = await at.startScripted('-e', at.path(name))
        await running.until('rig is up')
        return running
      }
      const twice = await started('twice')
      twice.child.kill('SIGINT')
      await twice.until('once more ends at once')
      const before = performance.now()
      expect(await twice.kill('SIGINT')).toBe(130)
      expect(performance.now() - before).toBeLessThan(3_000)
      expect(existsSync(join(at.cwd, 'twice/.weave/lock.json'))).toBe(true)
    },
  )
})
