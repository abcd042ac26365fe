import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { found, processesOf } from '../support/fleet-faults.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { expectOrder, noted, rowsOf } from '../support/fleet-judge.ts'
import { codon } from '../support/hank-folder.ts'
import { hookMs, isProof, tally } from '../support/proof.ts'
import type { RunningCommand } from '../support/weave-command.ts'

let at: FleetHome
const longest = isProof ? 3_600_000 : 120_000
const leaseMs = 10_000

beforeAll(async () => {
  at = await fleetHome()
}, hookMs(120_000))

afterAll(() => at.close(), hookMs(60_000))

const three = [codon('a', noted('a')), codon('b', noted('b', { waits: true })), codon('c', noted('c'))]
const release = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(join(at.home, `go-${name}`), '')
}
const named = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word}${n}`)

async function untilAllRan(names: readonly string[], what: string): Promise<void> {
  await vi.waitFor(() => expect(names.map(at.ran)).toEqual(names.map(() => what)), {
    timeout: 90_000,
    interval: 100,
  })
}

describe('a fleet in trouble', () => {
  verifies(
    ['fleet/salvage'],
    'does not pay again for codons that had ended but were not published, when the same machine comes back',
    async () => {
      for (let round = 0; round < (isProof ? 5 : 1); round++) {
        const sets = named(`sage-${round}`, isProof ? 4 : 2)
        const slots = ['--slots', String(sets.length)]
        const hank = at.place(three, sets)
        const batch = await at.submitted(hank)
        const first = at.worker(hank, slots)
        await untilAllRan(sets, 'ab')
        const store = join(at.home, '.weave/fleet/store')
        // A store that takes nothing more.
        renameSync(store, `${store}-away`)
        writeFileSync(store, '')
        release(...sets)
        await vi.waitFor(
          () => {
            for (const row of sets.keys())
              expect(first.said()).toMatch(new RegExp(`${batch}\\.${row + 1}: .*trying again`))
          },
          { timeout: 60_000 },
        )
        await first.kill('SIGKILL')
        rmSync(store)
        renameSync(`${store}-away`, store)
        const second = at.worker(hank, [...slots, '--until-idle'])
        expect(await second.ended, second.said()).toBe(0)
        const rows = await rowsOf(at, batch)
        expect(rows).toMatchObject(sets.map(() => ({ state: 'succeeded', epoch: 2 })))
        expect(sets.map(at.ran)).toEqual(sets.map(() => 'abc'))
        await expectOrder(at, batch)
        tally('codons salvaged', sets.length)
      }
    },
    longest,
  )

  verifies(
    ['fleet/take-over'],
    'takes an execution over from a worker that lives and knows nothing of it',
    async () => {
      const hank = at.place([codon('a', noted('a'))], ['orphan'])
      const batch = await at.submitted(hank)
      const queue = `f1.default.${batch}`
      // As an engine leaves it that dies with the answer to a claim: the job is taken, and the row names who took it.
      await at.query(
        "update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() where name = $1",
        queue,
      )
      await at.query(
        "update fleet.execution set state = 'running', epoch = 1, job = (select id from pgboss.job where name = $2) where batch = $1",
        batch,
        queue,
      )
      const worker = at.worker(hank, [])
      await vi.waitFor(
        async () =>
          expect(
            await at.query(
              'update fleet.execution e set worker = w.id from fleet.worker w where e.batch = $1 and w.pid = $2 returning w.id',
              batch,
              worker.child.pid,
            ),
          ).toHaveLength(1),
        { timeout: 30_000, interval: 50 },
      )
      await vi.waitFor(
        async () => expect(await rowsOf(at, batch)).toMatchObject([{ state: 'succeeded', epoch: 2 }]),
        { timeout: 60_000, interval: 200 },
      )
      expect(at.ran('orphan')).toBe('a')
      worker.child.kill('SIGTERM')
      expect(await worker.ended, worker.said()).toBe(0)
    },
    longest,
  )

  /** When the queue heard of an execution last, in seconds. */
  const heard = async (execution: string): Promise<number> => {
    const [row] = await at.query<{ heard: number }>(
      "select extract(epoch from heartbeat_on)::float as heard from pgboss.job where data ->> 'execution' = $1",
      execution,
    )
    return row?.heard ?? 0
  }
  const untilHeardAgain = async (execution: string): Promise<void> => {
    const begun = await heard(execution)
    const again = { timeout: 0.8 * leaseMs, interval: 100 }
    await vi.waitFor(async () => expect(await heard(execution)).toBeGreaterThan(begun), again)
  }
  /** What the queue does after a lease in which it heard nothing, as after a sleep, and before the worker hears of that. */
  const giveAway = (execution: string) =>
    at.query("update pgboss.job set state = 'retry' where data ->> 'execution' = $1", execution)

  verifies(
    ['fleet/one-turn', 'fleet/not-again'],
    'goes on with a turn whose job comes back to its worker, and is heard of with it',
    async () => {
      const [only] = named('mint', 1) as [string]
      const hank = at.place(three, [only])
      const batch = await at.submitted(hank)
      const worker = at.worker(hank, ['--slots', '2', '--until-idle'])
      await untilAllRan([only], 'ab')
      await giveAway(`${batch}.1`)
      await untilHeardAgain(`${batch}.1`)
      await untilHeardAgain(`${batch}.1`)
      release(only)
      expect(await worker.ended, worker.said()).toBe(0)
      expect(await rowsOf(at, batch)).toMatchObject([{ state: 'succeeded', epoch: 1 }])
      expect(at.ran(only)).toBe('abc')
      await expectOrder(at, batch)
    },
    longest,
  )

  verifies(
    ['fleet/one-turn', 'fleet/zombie'],
    'takes back what another had meanwhile, with one turn at a time, and is heard of with it',
    async () => {
      const [only] = named('dill', 1) as [string]
      const hank = at.place(three, [only])
      const batch = await at.submitted(hank)
      const worker = at.worker(hank, ['--slots', '2', '--until-idle'])
      await untilAllRan([only], 'ab')
      await at.query('update fleet.execution set epoch = epoch + 1 where batch = $1', batch)
      await giveAway(`${batch}.1`)
      await untilAllRan([only], 'abb')
      await untilHeardAgain(`${batch}.1`)
      release(only)
      expect(await worker.ended, worker.said()).toBe(0)
      expect(await rowsOf(at, batch)).toMatchObject([{ state: 'succeeded', epoch: 3 }])
      expect(at.ran(only)).toBe('abbc')
      await expectOrder(at, batch)
    },
    longest,
  )

  verifies(
    ['fleet/clocks'],
    'takes nothing over from a worker whose clock is off by ten minutes, and jumps',
    async () => {
      const sets = named('thyme', 2)
      const hank = at.place(three, sets)
      const batch = await at.submitted(hank)
      const shim = fileURLToPath(new URL('../support/shifted-clock.mjs', import.meta.url))
      const shifted = (ms: number): RunningCommand =>
        at.worker(hank, ['--slots', '1', '--until-idle'], {
          NODE_OPTIONS: `--import ${shim}`,
          WEAVE_TEST_SHIFT_MS: String(ms),
        })
      const workers = [shifted(600_000), shifted(-600_000)]
      await untilAllRan(sets, 'ab')
      const told = await at.command('fleet', 'workers', '--json')
      const skews = (JSON.parse(told.stdout) as { readonly skewMs: number }[]).map(({ skewMs }) => skewMs)
      expect(skews.filter(skew => Math.abs(Math.abs(skew) - 600_000) < 60_000)).toHaveLength(2)
      // Meanwhile both are only heard of; in a proof for more than three leases, with a jump of their clocks every two seconds.
      await delay((isProof ? 3.3 : 0.3) * leaseMs)
      release(...sets)
      for (const each of workers) expect(await each.ended, each.said()).toBe(0)
      expect(await rowsOf(at, batch)).toMatchObject(sets.map(() => ({ state: 'succeeded', epoch: 1 })))
      expect(sets.map(at.ran)).toEqual(sets.map(() => 'abc'))
      await expectOrder(at, batch)
      tally('workers with a wrong clock', workers.length)
    },
    longest,
  )

  verifies(
    ['leash/engine-away', 'fleet/not-again'],
    'loses and doubles nothing, however long the engine is away',
    async () => {
      // As shares of the lease; the second and third are longer than agents may go on.
      for (const [index, share] of (isProof ? [0.2, 0.9, 1.5] : [0.2]).entries()) {
        // The codon of one ends while the engine is away, that of the other when it is back.
        const [away, back] = named(`vine${index}-`, 2) as [string, string]
        const hank = at.place(three, [away, back])
        const batch = await at.submitted(hank)
        const only = at.worker(hank, ['--slots', '2', '--until-idle'])
        await untilAllRan([away, back], 'ab')
        const turns = processesOf([only.child.pid ?? 0]).turn
        await at.killEngine()
        release(away)
        await delay(share * leaseMs)
        // The turns are still there, whatever they may do.
        expect(turns.map(({ pid, startTime }) => found(pid)?.startTime === startTime)).toEqual([true, true])
        await at.reopenEngine()
        release(back)
        expect(await only.ended, only.said()).toBe(0)
        const rows = await rowsOf(at, batch)
        expect(rows, only.said()).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }])
        // What the engine did not miss for long starts nothing over.
        if (share < 0.7) {
          expect(rows).toMatchObject([{ epoch: 1 }, { epoch: 1 }])
          expect([away, back].map(at.ran)).toEqual(['abc', 'abc'])
        }
        await expectOrder(at, batch)
        tally('engines killed and back', 1)
      }
    },
    longest,
  )
})
