import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { type Fleet, openFleet } from 'weave-fleet'
import { verifies } from '../conformance/verifies.ts'
import { processesOf, signal } from '../support/fleet-faults.ts'
import { codon, type HankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { hookMs, isProof, tally } from '../support/proof.ts'
import {
  type RunningCommand,
  root,
  runScripted,
  scriptedWeave,
  startCommand,
  version,
} from '../support/weave-command.ts'

/** All tests share one engine: it is the test that holds it, so that killing a worker does not end it. */
const home = mkdtempSync(join(tmpdir(), 'weave-fleet-'))
const env = { HOME: home, ANTHROPIC_API_KEY: 'a-key-for-nobody' }
let fleet: Fleet
let program = ''

beforeAll(async () => {
  program = await scriptedWeave()
  fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })
}, hookMs(120_000))

afterAll(async () => {
  const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
  await fleet.close()
  for (const folder of [home, fleet.root, dirname(row?.data_directory ?? join(home, 'x'))])
    rmSync(folder, { recursive: true, force: true })
}, hookMs(60_000))

/** Each codon writes down its process, then that it ran; `b` waits until it may go on. */
const waits = 'while [ ! -e "$HOME/go-$SET" ]; do sleep 0.1; done'
const noted = (id: string, more = ''): object =>
  rig(
    `SET=$(cat read_only_data_source/name); echo $$ > "$HOME/pid-$SET"; echo ${id} >> "$HOME/ran-$SET"; env | grep -c WEAVE_FLEET >> "$HOME/seen-$SET" || true; ${more}`,
  )

let folders = 0

function place(sets: readonly string[], { isHeld = false } = {}): HankFolder {
  const outputs = { outputFiles: [{ copy: ['c.md'] }] }
  const at = hankFolderIn(join(home, `hank-${++folders}`), [
    codon('a', noted('a')),
    codon('b', noted('b', isHeld ? waits : '')),
    codon('c', { ...noted('c'), ...outputs }),
  ])
  for (const name of sets) {
    mkdirSync(at.path('sets', name), { recursive: true })
    writeFileSync(at.path('sets', name, 'name'), name)
  }
  return at
}

async function weave({ cwd }: HankFolder, ...words: readonly string[]) {
  return runScripted(words, { cwd, env: { ...env, WEAVE_FLEET_CANARY: 'x' } })
}

async function queued(at: HankFolder, ...words: readonly string[]): Promise<string> {
  const said = await weave(
    at,
    'submit',
    '.',
    '--data-glob',
    'sets/*',
    '--lease',
    '10',
    '--skip-self-test',
    '--json',
    ...words,
  )
  expect(said.status, said.stderr).toBe(0)
  return (JSON.parse(said.stdout) as { batch: string }).batch
}

function worker({ cwd }: HankFolder, ...words: readonly string[]): RunningCommand {
  return startCommand(program, ['worker', '--slots', '2', ...words], {
    cwd,
    env: { ...env, WEAVE_FLEET_CANARY: 'x' },
  })
}

function ran(name: string): string {
  const file = join(home, `ran-${name}`)
  return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\n', '') : ''
}

const release = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(join(home, `go-${name}`), '')
}

function query<Row extends object>(text: string, batch: string): Promise<readonly Row[]> {
  return fleet.engine.database.query<Row>(text, [batch])
}

async function states(batch: string): Promise<readonly string[]> {
  const rows = await query<{ state: string }>(
    'select state from fleet.execution where batch = $1 order by n',
    batch,
  )
  return rows.map(({ state }) => state)
}

/** Numbers without gaps, epochs that never fall. */
async function expectOrder(batch: string): Promise<void> {
  const heads = await query<{ execution: string; seq: number; epoch: number }>(
    `select h.execution, h.seq::int, h.epoch::int from fleet.head h join fleet.execution e on e.id = h.execution
     where e.batch = $1 order by h.execution, h.seq`,
    batch,
  )
  for (const id of new Set(heads.map(({ execution }) => execution))) {
    const own = heads.filter(({ execution }) => execution === id)
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, at) => at + 1))
    const epochs = own.map(({ epoch }) => epoch)
    expect(epochs).toEqual(epochs.toSorted((left, right) => left - right))
  }
}

const epochs = 'select epoch::int from fleet.execution where batch = $1'
const longest = 120_000

/** What stands still. A turn and its wardens are only taken over from when their worker is not heard of either. */
const zombieKinds = ['worker', 'turn', 'warden', 'all'] as const

async function expectRefused(kind: (typeof zombieKinds)[number], set: string): Promise<void> {
  const at = place([set], { isHeld: true })
  const batch = await queued(at)
  const first = worker(at)
  await vi.waitFor(() => expect(ran(set)).toBe('ab'), { timeout: 60_000 })
  const running = processesOf([first.child.pid ?? 0])
  const stopped =
    kind === 'all' ? running.all : [...running.worker, ...(kind === 'worker' ? [] : running[kind])]
  expect(stopped.length).toBeGreaterThan(kind === 'worker' ? 0 : 1)
  const rigPid = Number(readFileSync(join(home, `pid-${set}`), 'utf8'))
  const state = (): string => readFileSync(`/proc/${rigPid}/stat`, 'utf8').split(') ')[1]?.[0] ?? ''
  expect(state()).not.toBe('T')
  // A git of that moment may be gone.
  const lasting = [...running.worker, ...running.turn, ...running.warden]
  for (const each of stopped) expect(signal(each, 'SIGSTOP') || !lasting.includes(each)).toBe(true)
  await vi.waitFor(() => expect(state()).toBe('T'), { timeout: 9_500, interval: 50 })
  expect((await query<{ epoch: number }>(epochs, batch))[0]?.epoch).toBe(1)
  release(set)
  const second = worker(at, '--until-idle')
  expect(await second.ended, second.said()).toBe(0)
  expect(await states(batch)).toEqual(['succeeded'])
  for (const each of stopped.toReversed()) signal(each, 'SIGCONT')
  await first.kill('SIGTERM')
  await expectOrder(batch)
  const rows = await query<{ epoch: number }>(
    `select distinct h.epoch::int from fleet.head h join fleet.execution e on e.id = h.execution
     where e.batch = $1 and h.seq > 1`,
    batch,
  )
  expect(rows).toEqual([{ epoch: 2 }])
  expect(ran(set)).toBe('abbc')
  expect(processesOf([first.child.pid ?? 0]).all).toEqual([])
}

describe('a fleet', () => {
  verifies(
    ['fleet/first-use', 'fleet/no-address'],
    'works on every data set here and collects the outputs in one folder',
    async () => {
      const at = place(['one', 'two', 'three'])
      const words = ['--data-glob', 'sets/*', '--here', '--slots', '3', '--lease', '10', '--skip-self-test']
      const said = await weave(at, 'submit', '.', ...words, '-o', 'collected')
      expect(said.status, said.stderr).toBe(0)
      expect(said.stderr).toContain('3 succeeded')
      expect(readdirSync(at.path('collected')).sort()).toEqual(['1-one', '2-three', '3-two'])
      expect(readdirSync(at.path('collected/1-one'))).toEqual(['c.md'])
      expect(['one', 'two', 'three'].map(ran)).toEqual(['abc', 'abc', 'abc'])
      expect(readFileSync(join(home, 'seen-one'), 'utf8')).toBe('0\n0\n0\n')
    },
    longest,
  )

  verifies(
    ['fleet/zombie', 'fleet/one-writer', 'leash/frozen'],
    'refuses what stood still while another took over; what it ran stands still before that',
    async () => {
      for (let round = 0; round < (isProof ? 3 : 1); round++)
        for (const kind of isProof ? zombieKinds : zombieKinds.slice(0, 1)) {
          await expectRefused(kind, `dill-${kind}-${round}`)
          tally('zombies that woke up and were refused', 1)
        }
    },
    isProof ? 1_200_000 : longest,
  )

  verifies(
    ['fleet/drain', 'fleet/cancel', 'fleet/root'],
    'hands executions back at a border when a worker is to end, and runs nothing that is cancelled',
    async () => {
      const at = place(['elder', 'fennel'], { isHeld: true })
      const batch = await queued(at)
      const first = worker(at)
      await vi.waitFor(() => expect(['elder', 'fennel'].map(ran)).toEqual(['ab', 'ab']), { timeout: 60_000 })
      first.child.kill('SIGTERM')
      await first.until('taking nothing more')
      release('elder', 'fennel')
      expect(await first.ended, first.said()).toBe(0)
      expect(await states(batch)).toEqual(['queued', 'queued'])
      expect((await weave(at, 'fleet', 'cancel', `${batch}.2`)).stderr).toContain('1 execution cancelled')
      const other = await weave(at, 'worker', '--root', '/tmp/elsewhere')
      expect(other).toMatchObject({ status: 5, stderr: expect.stringContaining('FLEET_ROOT') })
      const second = worker(at, '--until-idle')
      expect(await second.ended, second.said()).toBe(0)
      expect(await states(batch)).toEqual(['succeeded', 'cancelled'])
      expect(['elder', 'fennel'].map(ran)).toEqual(['abc', 'ab'])
    },
    longest,
  )

  verifies(
    ['fleet/first-use', 'gateway/every-provider'],
    'rehearses the example with the built command and real agents',
    async () => {
      const at = join(home, 'example')
      cpSync(join(root, 'examples/10-fleet'), at, { recursive: true })
      const sets = isProof ? ['--data-glob', 'sets/*'] : ['--data', 'sets/anise', '--data', 'sets/woodruff']
      const command = (...words: readonly string[]) =>
        startCommand(join(root, 'packages/cli/bin/weave.cjs'), words, { cwd: at, env: { HOME: home } })
      const run = command('submit', '.', ...sets, '--rehearse', '--here', '-o', 'collected')
      expect(await run.ended, run.said()).toBe(0)
      expect(run.said()).toMatch(/Spent +simulated \$0\.0\d*[1-9]/)
      const [, batch = ''] = /^Batch +(\S+)/m.exec(run.said()) ?? []
      const status = command('fleet', 'status', batch, '--json')
      expect(await status.ended, status.said()).toBe(0)
      const { money } = JSON.parse(status.said()) as { readonly money: { readonly spent: number } }
      // Figured out by the worker alone, from what went through the gateways of its turns.
      expect(money.spent).toBeGreaterThan(1_000)
      const folders = readdirSync(join(at, 'collected'))
      expect(folders).toHaveLength(isProof ? 20 : 2)
      expect(readFileSync(join(at, 'collected/1-anise/line.md'), 'utf8')).toBe('18 jars were ordered.\n')
    },
    10 * longest,
  )

  verifies(['money/price'], 'takes no ceiling for a hank whose model has no price', async () => {
    const words = ['--max-cost', '1', '--model', 'ollama/anything', '--skip-self-test']
    const said = await weave(place(['x']), 'submit', '.', ...words)
    expect(said).toMatchObject({ status: 1, stderr: expect.stringContaining('FLEET_PRICE') })
  })

  verifies(['fleet/install'], 'is small, and nothing of it is loaded to say a version', async () => {
    const at = mkdtempSync(join(home, 'beside-'))
    const runtime = join(at, 'node_modules/weave-runtime')
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(root, 'packages/cli', part), join(runtime, part), { recursive: true })
    const fleetPackage = join(at, 'node_modules/weave-fleet')
    mkdirSync(fleetPackage)
    const marker = join(at, 'loaded')
    const main = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`
    writeFileSync(join(fleetPackage, 'package.json'), '{"name":"weave-fleet","main":"main.cjs"}')
    writeFileSync(join(fleetPackage, 'main.cjs'), main)
    const run = async (...words: readonly string[]) => {
      const command = startCommand(join(runtime, 'bin/weave.cjs'), words, { cwd: at, env: { HOME: home } })
      await command.ended
      return command.said()
    }
    expect(await run('--version')).toContain(version)
    expect(existsSync(marker)).toBe(false)
    await run('fleet', 'list')
    expect(existsSync(marker)).toBe(true)
    const dist = join(root, 'packages/fleet/dist')
    const bytes = readdirSync(dist).map(name => statSync(join(dist, name)).size)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12e6)
    const own = JSON.parse(readFileSync(join(root, 'packages/fleet/package.json'), 'utf8')) as object
    expect(own).not.toHaveProperty('dependencies')
  })

  verifies(['fleet/package-missing'], 'is a package more, and a command without it says which', async () => {
    const alone = mkdtempSync(join(home, 'alone-'))
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(root, 'packages/cli', part), join(alone, part), { recursive: true })
    const run = startCommand(join(alone, 'bin/weave.cjs'), ['fleet', 'status'], {
      cwd: alone,
      env: { HOME: home },
    })
    expect(await run.ended).toBe(1)
    expect(run.said()).toBe('Fleet commands need a package more: npm i weave-fleet\n')
  })
})
