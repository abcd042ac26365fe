import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type Fleet, openFleet } from 'weave-fleet'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { hookMs } from '../support/proof.ts'
import { runScripted, scriptedWeave, startCommand } from '../support/weave-command.ts'

/** All tests share one engine, held by the test, and one batch of three executions, one of which fails. */
const home = mkdtempSync(join(tmpdir(), 'weave-fleet-'))
const env = { HOME: home, ANTHROPIC_API_KEY: 'a-key-for-nobody' }
let fleet: Fleet
let at: HankFolder
let program = ''
let batch = ''
/** Folders of other fleets, to be removed. */
const left: string[] = []

const wish = ['--lease', '10', '--skip-self-test']

async function weave(...words: readonly string[]) {
  return runScripted(words, { cwd: at.cwd, env })
}

async function json<T>(...words: readonly string[]): Promise<T> {
  const said = await weave(...words, '--json')
  expect(said.status, said.stderr).toBe(0)
  return JSON.parse(said.stdout) as T
}

beforeAll(async () => {
  program = await scriptedWeave()
  fleet = await openFleet({ home, environment: { PATH: process.env['PATH'] }, works: false })
  const outputs = { outputFiles: [{ copy: ['b.md'] }] }
  at = hankFolderIn(join(home, 'hank'), [
    codon('a', rig('true')),
    codon('b', { ...rig('[ ! -e read_only_data_source/bad ] || [ -e "$HOME/mended" ]'), ...outputs }),
  ])
  for (const name of ['one', 'two', 'bad']) {
    mkdirSync(at.path('sets', name), { recursive: true })
    writeFileSync(at.path('sets', name, name), name)
  }
  at.write({
    'rows.jsonl': ['one', 'two', 'bad']
      .map(name => `{"data": "sets/${name}", "name": "${name}!"}`)
      .join('\n'),
  })
  const said = await weave('submit', '.', '--matrix', 'rows.jsonl', '--pool', 'odd', ...wish, '--json')
  batch = (JSON.parse(said.stdout) as { batch: string }).batch
  await weave('worker', '--until-idle', '--slots', '3', '--pool', 'odd')
}, hookMs(120_000))

afterAll(async () => {
  const [row] = await fleet.engine.database.query<{ data_directory: string }>('show data_directory')
  await fleet.close()
  for (const folder of [home, fleet.root, ...left, dirname(row?.data_directory ?? join(home, 'x'))])
    rmSync(folder, { recursive: true, force: true })
}, hookMs(60_000))

const longest = 60_000

describe('the commands of a fleet', () => {
  verifies(
    ['fleet/look', 'fleet/matrix', 'fleet/events'],
    'say how a batch and an execution stand, for people and for programs',
    async () => {
      expect((await weave('fleet', 'list')).stdout).toContain(`${batch}  1 failed, 2 succeeded`)
      const { executions } = await json<{ executions: { name: string; state: string }[] }>(
        'fleet',
        'status',
        batch,
      )
      expect(executions.map(({ name, state }) => [name, state])).toEqual([
        ['one!', 'succeeded'],
        ['two!', 'succeeded'],
        ['bad!', 'failed'],
      ])
      const shown = (await weave('fleet', 'show', `${batch}.3`)).stdout
      expect(shown).toContain('State      failed: ')
      expect(shown).toMatch(/published epoch 1 on \S+ {2}seq=1 bytes=\d+ codon=a/)
      const logs = (await weave('fleet', 'logs', batch)).stdout
      for (const type of ['submitted', 'claimed', 'finished', 'failed']) expect(logs).toContain(`  ${type}`)
      expect(await weave('fleet', 'status', 'nobody')).toMatchObject({
        status: 1,
        stderr: 'There is no batch nobody. (FLEET_UNKNOWN)\n"weave fleet list" shows which there are.\n',
      })
      expect((await weave('fleet', 'dance')).status).toBe(2)
      expect(await weave('fleet', 'list', '--now')).toMatchObject({
        status: 2,
        stderr: '--now is not for "weave fleet list". Say: weave fleet list\n',
      })
    },
    longest,
  )

  verifies(
    ['fleet/pull', 'fleet/journal'],
    'bring an execution home: report, diff, rollback and fork work on it',
    async () => {
      const before = await json('fleet', 'show', `${batch}.1`)
      const dir = join(home, 'pulled')
      expect((await weave('fleet', 'pull', `${batch}.1`, dir)).stdout).toBe(`${dir}\n`)
      expect((await weave('fleet', 'pull', `${batch}.1`, dir)).stderr).toContain('is there already')
      expect((await weave('report', dir, '--costs')).status).toBe(0)
      expect((await weave('diff', '-e', dir, 'a', 'b')).stdout).toContain('b.md')
      expect((await weave('fork', dir, '--at', 'a')).status).toBe(0)
      expect((await weave('rollback', '-e', dir, 'a', '-y')).status).toBe(0)
      expect(existsSync(join(dir, 'agentRoot/b.md'))).toBe(false)
      expect(existsSync(join(dir, '.weave/fleet-data/one'))).toBe(true)
      const journal = (await weave('journal', dir)).stdout.split('\n')
      expect(journal[1]).toContain('fleet.turn')
      expect(journal.filter(line => line.includes('fleet.published'))).toHaveLength(2)
      expect(await json('fleet', 'show', `${batch}.1`)).toEqual(before)
    },
    longest,
  )

  verifies(
    ['fleet/report'],
    'report a batch as text, as a table, as JSON and as a page',
    async () => {
      const text = (await weave('fleet', 'report', batch)).stdout
      expect(text).toContain('Costs by codon and model')
      expect(text).toContain(`1 execution failed: `)
      expect((await weave('fleet', 'report', batch, '--csv')).stdout.split('\r\n')).toHaveLength(4)
      const { failures } = await json<{ failures: { executions: string[] }[] }>('fleet', 'report', batch)
      expect(failures.map(({ executions }) => executions)).toEqual([[`${batch}.3`]])
      const page = join(home, 'batch.html')
      expect((await weave('fleet', 'report', batch, '--html', page)).status).toBe(0)
      expect(readFileSync(page, 'utf8')).toContain('<td>bad!</td><td>failed</td>')
      expect((await weave('fleet', 'report', batch, '--html', page, '--csv')).status).toBe(2)
    },
    longest,
  )

  verifies(
    ['fleet/retry', 'fleet/watch', 'fleet/drain-order', 'fleet/pool', 'fleet/roles'],
    'let a batch go on after a failure, with a worker whose login may only work, and let it end',
    async () => {
      expect((await weave('fleet', 'watch', batch)).status).toBe(1)
      writeFileSync(join(home, 'mended'), '')
      expect((await weave('fleet', 'retry', batch)).stderr).toContain('1 execution queued again')
      expect((await weave('fleet', 'retry', batch)).status).toBe(1)
      const others = await weave('worker', '--until-idle')
      expect(others.status, others.stderr).toBe(0)
      expect((await weave('fleet', 'migrate', '--roles')).status).toBe(0)
      const url = await loginUrl('weave_worker')
      const worker = startCommand(program, ['worker', '--pool', 'default,odd', '--url', url], {
        cwd: at.cwd,
        env,
      })
      const watched = await weave('fleet', 'watch', batch)
      expect(watched, worker.said()).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('3 succeeded'),
      })
      const look = await loginUrl('weave_view')
      expect((await weave('fleet', 'status', batch, '--url', look)).status).toBe(0)
      expect(await weave('fleet', 'pause', batch, '--url', look)).toMatchObject({
        status: 5,
        stderr: expect.stringContaining('FLEET_ROLE'),
      })
      const [found] = await json<{ id: string; state: string; slots: number }[]>('fleet', 'workers')
      expect((await weave('fleet', 'drain', found?.id ?? '')).stderr).toContain('takes nothing more')
      expect(await worker.ended, worker.said()).toBe(0)
      expect((await weave('fleet', 'workers')).stderr).toContain('Nobody works')
      expect((await weave('fleet', 'drain')).status).toBe(2)
    },
    longest,
  )

  verifies(
    ['fleet/settings', 'fleet/doctor', 'fleet/dry', 'fleet/matrix'],
    'obey weave.json of the working directory, and refuse what is wrong before anything happens',
    async () => {
      const folder = join(home, 'settings')
      mkdirSync(folder)
      const here = (...words: readonly string[]) => runScripted(words, { cwd: folder, env })
      const file = join(folder, 'weave.json')
      writeFileSync(file, JSON.stringify({ fleet: { store: 'ftp://nowhere' } }))
      expect(await here('fleet', 'doctor')).toMatchObject({
        status: 4,
        stderr: expect.stringContaining('ftp://nowhere'),
      })
      const well = await here('fleet', 'doctor', '--store', 'pg:')
      expect(well).toMatchObject({ status: 0, stdout: expect.stringContaining('ok  store        pg:') })
      writeFileSync(file, JSON.stringify({ fleet: { lease: 5 } }))
      expect((await here('fleet', 'list')).stderr).toContain('fleet.lease')
      writeFileSync(file, JSON.stringify({ fleet: { leese: 50 } }))
      expect((await here('fleet', 'list')).stderr).toContain('leese')
      writeFileSync(join(folder, 'rows.jsonl'), '{"data": "x"}\n{"data": "y", "modle": "z"}\n')
      const submit = (...words: readonly string[]) => weave('submit', '.', ...words, ...wish)
      expect((await submit('--matrix', join(folder, 'rows.jsonl'))).stderr).toContain(
        'line 2: unknown key "modle"',
      )
      expect((await submit('--not-before', 'soon')).status).toBe(2)
      const dry = await runScripted(
        ['submit', '.', '--data-glob', 'sets/*', '--max-cost-each', '2', '--dry', ...wish],
        {
          cwd: at.cwd,
          env: { ...env, WEAVE_FLEET_URL: 'postgres://nobody@127.0.0.1:1/x' },
        },
      )
      expect(dry.status, dry.stderr).toBe(0)
      expect(dry.stdout).toMatch(/Executions 3\nUpload .*\nWorst case \$6.00\n/)
    },
    longest,
  )

  verifies(
    ['fleet/up-down', 'fleet/no-secret', 'fleet/key', 'fleet/unreachable', 'fleet/live-logs'],
    'keep what is said and written from who can read tables and store, on an engine that is held and ended by hand',
    async () => {
      const other = mkdtempSync(join(home, 'person-'))
      const key = 'ab'.repeat(32)
      const cwd = other
      const bare = { ...env, HOME: other, OTHER_API_KEY: 'canary-of-the-environment' }
      const keyed = { cwd, env: { ...bare, WEAVE_FLEET_KEY: key } }
      const up = startCommand(program, ['fleet', 'up'], keyed)
      await up.until('The engine is up')
      const leaks = 'echo canary-of-a-tool; echo $OTHER_API_KEY > canary-file'
      const hank = hankFolderIn(join(other, 'hank'), [
        codon('a', { ...rig(leaks), promptText: 'canary-of-a-prompt', checkpointedFiles: ['**'] }),
      ])
      writeFileSync(join(other, 'weave.json'), JSON.stringify({ fleet: { poll: 0.1, tailSeconds: 1 } }))
      const said = await runScripted(['submit', hank.cwd, ...wish], keyed)
      expect(said.status, said.stderr).toBe(0)
      expect(said.stderr).not.toContain('No key is set')
      const opened = await openFleet({ home: other, environment: keyed.env, works: false })
      const [row] = await opened.engine.database.query<{ id: string }>('select id from fleet.execution')
      // Somebody looks on all the time.
      await opened.engine.database.query("insert into fleet.tail values ($1, 'infinity')", [row?.id])
      const worked = await runScripted(['worker', '--until-idle'], keyed)
      expect(worked.status, worked.stderr).toBe(0)
      const [tail] = await opened.engine.database.query<{ parts: object[] }>('select parts from fleet.tail')
      expect(tail?.parts.length).toBeGreaterThan(0)
      const kept = await everything(opened)
      const [place] = await opened.engine.database.query<{ data_directory: string }>('show data_directory')
      left.push(opened.root, dirname(place?.data_directory ?? join(home, 'x')))
      await opened.close()
      expect(kept.match(/canary[-\w]*/g)).toBeNull()
      expect((await runScripted(['fleet', 'pull', row?.id ?? '', join(other, 'pulled')], keyed)).status).toBe(
        0,
      )
      expect(existsSync(join(other, 'pulled/agentRoot/canary-file'))).toBe(true)
      const without = await runScripted(['fleet', 'list'], { cwd, env: bare })
      expect(without).toMatchObject({ status: 5, stderr: expect.stringContaining('FLEET_KEY') })
      const following = startCommand(program, ['fleet', 'logs', row?.id ?? '', '-f'], keyed)
      await following.until('finished')
      expect((await runScripted(['fleet', 'down'], keyed)).stderr).toContain('The engine has ended')
      expect(await up.ended).toBe(0)
      expect(await following.ended).toBe(4)
      expect(following.said()).toContain('The engine of the fleet has gone away. (FLEET_UNREACHABLE)')
      expect((await runScripted(['fleet', 'down'], keyed)).stderr).toContain('The engine is not up')
      expect((await weave('submit', '.', '--data', 'sets/one', ...wish)).stderr).toContain('No key is set')
    },
    longest,
  )
})

/** The address of the engine for a new login with a role. */
async function loginUrl(role: string): Promise<string> {
  const { database } = fleet.engine
  await database.query(`create role only_${role} login in role ${role}`)
  const [row] = await database.query<{ folder: string }>(
    "select current_setting('unix_socket_directories') as folder",
  )
  return `postgres:///postgres?host=${encodeURIComponent(row?.folder ?? '')}&user=only_${role}`
}

/** All rows of all tables, and all bytes of the store. */
async function everything({ engine, store }: Fleet): Promise<string> {
  const { database } = engine
  const tables = await database.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('fleet', 'pgboss')",
  )
  const rows = await Promise.all(
    tables.map(({ name }) => database.query<{ row: string }>(`select t::text as row from ${name} t`)),
  )
  const folder = fileURLToPath(store.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.length > 3)
  expect(files.length).toBeGreaterThan(1)
  return [
    ...rows.flat().map(({ row }) => row),
    ...files.map(path => `${path} ${readFileSync(join(folder, path), 'latin1')}`),
  ].join('\n')
}
