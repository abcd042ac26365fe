import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { found } from '../support/fleet-faults.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { noted, rowsOf } from '../support/fleet-judge.ts'
import { codon, rig } from '../support/hank-folder.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

let at: FleetHome
const longest = 120_000

beforeAll(async () => {
  at = await fleetHome()
}, 240_000)

afterAll(() => at.close(), 60_000)

const until = (file: string): readonly object[] =>
  rig(`while [ ! -e "$HOME/${file}" ]; do sleep 0.1; done`).rigSetup

/** The second codon waits in the second and in the third operation of its rig. */
const held = [
  codon('a', noted('a')),
  codon('b', { rigSetup: [...Object.values(noted('b')).flat(), ...until('more-yew'), ...until('go-yew')] }),
]

async function statesOf(batch: string): Promise<readonly string[]> {
  return (await rowsOf(at, batch)).map(({ state }) => state)
}

async function running(name: string): Promise<void> {
  await vi.waitFor(() => expect(at.ran(name)).toBe('ab'), { timeout: 60_000, interval: 100 })
}

describe('who looks on at an execution', () => {
  verifies(
    ['fleet/live-logs'],
    'sees what happens inside of it before it is published; nothing is shown while nobody looks',
    async () => {
      const hank = at.place(held, ['yew'])
      const batch = await at.submitted(hank, '--pool', 'looked-at')
      const worker = at.worker(hank, ['--slots', '1', '--until-idle', '--pool', 'looked-at'])
      await running('yew')
      expect(await at.query('select * from fleet.tail')).toEqual([])
      const onlooker = at.start('fleet', 'logs', '-f', `${batch}.1`)
      await onlooker.until(/fleet\.published .*head 1/)
      // In no head yet.
      await onlooker.until(/rig\.operation .*rig of b: operation 1/)
      expect((await at.query<{ n: number }>('select count(*)::int as n from fleet.head'))[0]?.n).toBe(1)
      const isJson = at.start('fleet', 'logs', '-f', `${batch}.1`, '--json')
      await isJson.until(/"type":"rig\.operation"/)
      writeFileSync(join(at.home, 'more-yew'), '')
      await onlooker.until(/rig\.operation .*rig of b: operation 2/)
      // Just now it was shown what is new; what follows comes with the end of the turn.
      writeFileSync(join(at.home, 'go-yew'), '')
      await onlooker.until(/codon\.completed .*codon b completed/)
      await onlooker.until(/ finished epoch 1 on /)
      expect(await worker.ended, worker.said()).toBe(0)
      await vi.waitFor(() => expect(onlooker.said()).toMatch(/run\.completed/), { timeout: 10_000 })
      const lines = onlooker.said().split('\n')
      expect(lines.filter(line => line.includes('codon b started'))).toHaveLength(1)
      for (const each of [onlooker, isJson]) await each.kill('SIGKILL')
    },
    longest,
  )
})

describe('a batch that its breaker paused', () => {
  verifies(
    ['fleet/breaker-told', 'fleet/breaker'],
    'is told to people once, by one of all workers, and once more when it is paused again',
    async () => {
      const server = await startWebhookServer()
      mkdirSync(join(at.home, '.weave'), { recursive: true })
      const file = join(at.home, '.weave/notify.json')
      writeFileSync(file, JSON.stringify({ targets: [{ type: 'webhook', url: server.url }] }))
      chmodSync(file, 0o600)
      const names = ['ash', 'bay', 'fir', 'oak', 'elm', 'box']
      const hank = at.place([codon('a', rig('echo canary-of-a-tool; false'))], names, {
        fleet: { breaker: { window: 2, share: 1 } },
      })
      const batch = await at.submitted(hank, '--name', 'trees', '--pool', 'broken')
      const both = () =>
        [1, 2].map(() => at.worker(hank, ['--slots', '1', '--until-idle', '--pool', 'broken']))
      for (const worker of both()) expect(await worker.ended, worker.said()).toBe(0)
      expect(server.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { type: 'batch.paused', data: { execution: batch, hank: 'trees' } },
      ])
      expect(server.received[0]?.body).toContain('2 of its last executions failed alike')
      expect(server.received[0]?.body).not.toContain('canary')
      expect((await at.command('fleet', 'resume', batch)).status).toBe(0)
      for (const worker of both()) expect(await worker.ended, worker.said()).toBe(0)
      expect(server.received).toHaveLength(2)
      expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    },
    longest,
  )
})

describe('an order', () => {
  verifies(
    ['fleet/cancel-now'],
    'to cancel at once leaves nothing running a heartbeat and ten seconds later',
    async () => {
      const hank = at.place(
        [codon('a', noted('a')), codon('b', noted('b', { after: '; echo $$ > "$HOME/pid"; sleep 600' }))],
        ['ivy'],
      )
      const batch = await at.submitted(hank, '--pool', 'cancelled')
      const worker = at.worker(hank, ['--slots', '1', '--until-idle', '--pool', 'cancelled'])
      await running('ivy')
      await vi.waitFor(() => expect(existsSync(join(at.home, 'pid'))).toBe(true))
      const pid = Number(readFileSync(join(at.home, 'pid'), 'utf8'))
      expect(found(pid)).toBeDefined()
      expect((await at.command('fleet', 'cancel', batch, '--now')).status).toBe(0)
      // A sixth of the lease of ten seconds is the heartbeat.
      await vi.waitFor(() => expect(found(pid)).toBeUndefined(), { timeout: 10_000 / 6 + 10_000 })
      expect(await worker.ended, worker.said()).toBe(0)
      expect(await statesOf(batch)).toEqual(['cancelled'])
    },
    longest,
  )
})

describe('without a key', () => {
  verifies(
    ['fleet/no-secret-tables', 'fleet/key'],
    'what was said is in objects alone, keys of the environment are nowhere, and submit says so',
    async () => {
      const leaks = 'echo nut-canary-of-a-tool; touch nut-canary-of-a-file'
      const hank = at.place(
        [
          codon('a', { ...rig('sh read_only_data_source/leak'), promptText: 'nut-canary-of-a-prompt' }),
          // Why it failed is in the tables: the command, and the last line that it wrote.
          codon('b', rig('echo "the key is $OTHER_API_KEY" >&2; false')),
        ],
        ['nut'],
      )
      hank.write({ 'sets/nut/leak': leaks })
      const words = [
        'submit',
        hank.cwd,
        '--data',
        hank.path('sets/nut'),
        '--skip-self-test',
        '--pool',
        'open',
      ]
      const said = await at.command(...words)
      expect(said.status, said.stderr).toBe(0)
      expect(said.stderr).toContain('No key is set')
      const more = { OTHER_API_KEY: 'nut-canary-of-the-environment' }
      const worker = at.worker(hank, ['--slots', '1', '--until-idle', '--pool', 'open'], more)
      expect(await worker.ended, worker.said()).toBe(0)
      const tables = await at.query<{ name: string }>(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('fleet', 'pgboss')",
      )
      const rows = await Promise.all(
        tables.map(({ name }) => at.query<{ row: string }>(`select t::text as row from ${name} t`)),
      )
      const told = rows.flat().map(({ row }) => row)
      expect(told.filter(row => row.includes('the key is')).length).toBeGreaterThan(0)
      expect(told.join('\n').match(/nut-canary[-\w]*/g)).toBeNull()
      const kept = objects().join('\n')
      expect(kept).toContain('nut-canary-of-a-prompt')
      expect(kept).not.toContain('nut-canary-of-the-environment')
    },
    longest,
  )
})

/** Every object of the store, unpacked as far as it is packed once. */
function objects(): readonly string[] {
  const folder = fileURLToPath(at.store().url)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.length > 3)
    .map(path => {
      const bytes = readFileSync(join(folder, path))
      return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1')
    })
}
