import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, type HankFolder, hankFolder } from '../support/hank-folder.ts'
import { portOf } from '../support/steering-client.ts'
import { launcher, scriptedWeave } from '../support/weave-command.ts'
import { startInTerminal } from './tui-terminal.ts'

const longest = 120_000

/** `held` hangs until it is stopped. */
async function holding(): Promise<HankFolder> {
  const at = await hankFolder([codon('held', { promptText: 'Work on held. Then hang.' })])
  onTestFinished(() => void at.weave('stop', '--all', '--now'))
  return at
}

function lockOf(at: HankFolder): { readonly pid: number; readonly detached?: boolean } {
  return JSON.parse(readFileSync(at.execution('.weave/lock.json'), 'utf8'))
}

/** The fields of `/proc/<pid>/stat` from the state on: parent, group and session follow it. */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
}

function log(at: HankFolder): string {
  return readFileSync(at.execution('.weave/logs/run.log'), 'utf8')
}

/** Until the run's own journal tells it. */
async function until(at: HankFolder, type: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (at.events(type).length === 0) {
    if (performance.now() > deadline) throw new Error(`No ${type} came:\n${log(at)}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

describe('a run that goes on without its terminal', () => {
  verifies(
    ['detach/comes-back', 'detach/own-session', 'detach/listed', 'detach/log'],
    'prints four lines and is there afterwards, in a session of its own, listed as such',
    async () => {
      const at = await holding()
      const { status, stdout } = await at.scripted('-d')
      expect(status).toBe(0)
      const name = basename(at.execution())
      expect(stdout.split('\n')).toEqual([
        `Execution  ${at.execution()}`,
        `Clients    ws://localhost:${portOf(at.execution())}`,
        `Log        ${at.execution('.weave/logs/run.log')}`,
        `It goes on without this terminal.  weave attach ${name} · weave stop ${name}`,
        '',
      ])
      const { pid, detached } = lockOf(at)
      expect(detached).toBe(true)
      expect(statOf(pid)[3]).toBe(String(pid))
      await until(at, 'codon.started')
      expect(at.weave('list').stdout).toContain('running (detached)')
      expect(JSON.parse(at.weave('list', '--json', '--status', 'running').stdout)).toMatchObject([
        { status: 'running', detached: true },
      ])
      expect(log(at)).toContain('codon held started')
      expect(statSync(at.execution('.weave/logs/run.log')).mode & 0o777).toBe(0o600)
      expect(at.weave('stop', name)).toMatchObject({ status: 0, stdout: expect.stringContaining('Stopped') })
      expect(existsSync(at.execution('.weave/lock.json'))).toBe(false)
      expect(log(at)).toContain('weave stop')
    },
    longest,
  )

  verifies(
    ['detach/quick-return', 'detach/json'],
    'a shell that reads all it says has it within 2 s of the moment when clients may come',
    async () => {
      const at = await holding()
      const program = await scriptedWeave()
      const shell = spawnSync(
        'sh',
        ['-c', 'out=$("$NODE" "$PROGRAM" -d --json 2>/dev/null); echo "$(date +%s%3N) $out"'],
        {
          cwd: at.cwd,
          env: { PATH: process.env['PATH'], ...at.env, NODE: process.execPath, PROGRAM: program },
          encoding: 'utf8',
        },
      )
      const [, time = '', json = ''] = /^(\d+) (.*)$/m.exec(shell.stdout) ?? []
      const { pid } = lockOf(at)
      expect(JSON.parse(json)).toEqual({
        execution: at.execution(),
        url: `ws://localhost:${portOf(at.execution())}`,
        pid,
        log: at.execution('.weave/logs/run.log'),
      })
      const listens = /^(\S+) .*listening at/m.exec(
        readFileSync(at.execution('.weave/logs/server.log'), 'utf8'),
      )
      expect(Number(time) - Date.parse(listens?.[1] ?? '')).toBeLessThan(2_000)
    },
    longest,
  )

  verifies(
    ['detach/checks-first', 'detach/early-end'],
    'what is wrong is said where a person is; a run that ends before it is ready gives its words and its code',
    async () => {
      const at = await holding()
      at.write({ 'bad/hank.json': { hank: [codon('x', { model: 'nobodys' })] } })
      const bad = at.weave('bad', '-d')
      expect(bad).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('nobodys') })
      expect(at.executions()).toEqual([])

      const taken = await at.serve()
      const clash = await at.scripted('-d', '--start-new', '--port', String(taken.port))
      expect(clash.status).toBe(1)
      expect(clash.stdout).toBe('')
      expect(clash.stderr).toContain(`${taken.port}`)
      expect(clash.stderr.split('held (held)')).toHaveLength(2)
      await taken.kill('SIGKILL')
    },
    longest,
  )

  verifies(
    ['detach/same-words'],
    'data, options and answers are those of the command; a hank that changed is asked about once, here',
    async () => {
      const at = await hankFolder([codon('one', { rigSetup: [], promptText: 'Write. Then hang.' })])
      onTestFinished(() => void at.weave('stop', '--all', '--now'))
      const first = await at.scripted(
        '-d',
        '--input',
        'the data',
        '--token',
        'a-word-of-mine',
        '--max-cost',
        '3',
      )
      expect(first.status).toBe(0)
      await until(at, 'codon.started')
      expect(readFileSync(at.execution('.weave/lock.json'), 'utf8')).toContain('a-word-of-mine')
      expect(log(at)).toContain('$3')
      expect(at.executions()).toHaveLength(1)
      expect(at.weave('stop')).toMatchObject({ status: 0 })
      expect(log(at)).toMatch(/Go on with weave -e \S+ --skip-self-test --max-cost 3\n/)

      at.setHank([codon('one', { promptText: 'Write another. Then hang.' })])
      const unsure = await at.scripted('-d', '-e', at.execution())
      expect(unsure).toMatchObject({ status: 1, stderr: expect.stringContaining('Nobody is here to answer') })
      expect((await at.scripted('-d', '-e', at.execution(), '--adopt', '-y')).status).toBe(0)
      expect(log(at)).toContain('Kept       nothing is done yet')
    },
    longest,
  )

  verifies(
    ['detach/hangup'],
    'goes on after a hangup to the group that started it, and after its terminal is gone',
    async () => {
      const at = await hankFolder([codon('work', { promptText: 'Wait.' })], {
        'rehearsal.json': { codons: { work: [bash('sleep 4; echo done > done.md')] } },
      })
      onTestFinished(() => void at.weave('stop', '--all', '--now'))
      const env = { PATH: process.env['PATH'], ...at.env }
      // A shell that leads a group of its own, as an interactive one makes it for each command.
      const script = `"${process.execPath}" "${launcher}" rehearse -d; kill -HUP 0; sleep 9`
      const shell = spawn('sh', ['-c', script], { cwd: at.cwd, env, detached: true, stdio: 'ignore' })
      const [code, signal] = await new Promise<readonly [number | null, string | null]>(resolve =>
        shell.on('close', (...end) => resolve(end)),
      )
      expect([code, signal]).toEqual([null, 'SIGHUP'])
      process.kill(lockOf(at).pid, 'SIGHUP')
      expect(at.weave('wait')).toMatchObject({ status: 0, stdout: 'The hank is done\n' })
      expect(at.read('done.md')).toBe('done\n')
    },
    longest,
  )

  verifies(
    ['detach/hangup', 'detach/attach'],
    'goes on when its terminal is closed; attached to it a person may steer, and q leaves it alone',
    async () => {
      const at = await holding()
      const words = (line: string): string => `"${process.execPath}" "${program}" ${line}`
      const program = await scriptedWeave()
      const first = await startInTerminal(`${words('-d')}; printf '\\nSTARTED\\n'; sleep 60`, at)
      await first.shows('STARTED')
      const { pid } = lockOf(at)
      process.kill(first.shell(), 'SIGHUP')
      await until(at, 'codon.started')
      const second = await startInTerminal(words('attach --steer'), at)
      await second.shows('held')
      expect(second.screen()).not.toContain('read-only')
      second.press('q')
      await second.shows('EXIT 0')
      expect(lockOf(at).pid).toBe(pid)
      expect(at.weave('skip')).toMatchObject({ status: 0 })
      expect(at.weave('wait')).toMatchObject({ status: 0 })
    },
    longest,
  )

  // As glibc has it; another library passes over it.
  const [arenas, trim] = ['MALLOC_ARENA_MAX=+2', 'MALLOC_TRIM_THRESHOLD_=+131072']
  const mallocLines = (text: string, separator: string) =>
    text
      .split(separator)
      .filter(line => line.startsWith('MALLOC_'))
      .toSorted()

  interface MallocCase {
    readonly given: Readonly<Record<string, string>>
    readonly server: readonly string[]
    readonly agent: readonly string[]
  }

  test.each<MallocCase>([
    { given: {}, server: [arenas, trim], agent: [] },
    {
      given: { MALLOC_ARENA_MAX: '3' },
      server: ['MALLOC_ARENA_MAX=3', trim],
      agent: ['MALLOC_ARENA_MAX=3'],
    },
  ])(
    'keeps its own memory small, and agents have the environment that was given: $given',
    async ({ given, server, agent }) => {
      const made = await hankFolder([codon('work', { promptText: 'Look.' })], {
        'rehearsal.json': { codons: { work: [bash('env > env.txt; sleep 2')] } },
      })
      const at = made.with(given)
      onTestFinished(() => void at.weave('stop', '--all', '--now'))
      expect(at.weave('rehearse', '-d').status).toBe(0)
      expect(mallocLines(readFileSync(`/proc/${lockOf(at).pid}/environ`, 'utf8'), '\0')).toEqual(server)
      expect(at.weave('wait')).toMatchObject({ status: 0 })
      expect(mallocLines(at.read('env.txt') ?? '', '\n')).toEqual(agent)
    },
    longest,
  )
})
