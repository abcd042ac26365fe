import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type Found, processesOf, signal } from '../support/fleet-faults.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { expectOrder, noted, rowsOf } from '../support/fleet-judge.ts'
import { figuresOf, metricsPort } from '../support/fleet-metrics.ts'
import { codon } from '../support/hank-folder.ts'
import { hookMs, isProof, tally } from '../support/proof.ts'

let at: FleetHome
const longest = isProof ? 3_600_000 : 120_000
const leaseMs = 10_000
const longestTakeOverMs = leaseMs + 8_000

beforeAll(async () => {
  at = await fleetHome()
}, hookMs(120_000))

afterAll(() => at.close(), hookMs(60_000))

/** What dies: the worker, the process of each of its turns, or everything that runs on its machine, at one moment. */
const deaths: Readonly<Record<string, (worker: number) => readonly Found[]>> = {
  worker: worker => processesOf([worker]).worker,
  turn: worker => processesOf([worker]).turn,
  machine: worker => processesOf([worker]).all,
}

const three = [codon('a', noted('a')), codon('b', noted('b', { waits: true })), codon('c', noted('c'))]

/** When each execution of a batch was claimed for the second time, by the clock of the engine, which is ours. */
async function secondClaims(batch: string): Promise<readonly number[]> {
  const rows = await at.query<{ at: number }>(
    `select (extract(epoch from at) * 1e3)::float8 as at from fleet.event
     where batch = $1 and type = 'claimed' and epoch = 2`,
    batch,
  )
  return rows.map(row => row.at)
}

/** A worker with so many turns, each in its second codon, in a pool of its own. */
async function victim(death: string, { round, slots }: { readonly round: number; readonly slots: number }) {
  const sets = Array.from({ length: slots }, (_, n) => `${death}-${round}-${n}`)
  const pool = ['--pool', `${death}-${round}`]
  const hank = at.place(three, sets)
  const batch = await at.submitted(hank, ...pool)
  const worker = at.worker(hank, ['--slots', String(slots), ...pool])
  await vi.waitFor(() => expect(sets.map(at.ran)).toEqual(sets.map(() => 'ab')), {
    timeout: 120_000,
    interval: 200,
  })
  return { death, batch, sets, hank, pool, worker }
}

describe('a take-over', () => {
  verifies(
    ['fleet/take-over', 'fleet/not-again', 'fleet/one-writer', 'fleet/metrics'],
    'comes within the lease and 8 seconds, whatever died: the worker, a turn, or the whole machine',
    async () => {
      const slots = isProof ? 4 : 1
      const took: number[] = []
      for (let round = 0; round < (isProof ? 17 : 1); round++) {
        const victims = await Promise.all(Object.keys(deaths).map(death => victim(death, { round, slots })))
        const pools = victims.map(({ pool }) => pool[1]).join(',')
        const [first] = victims
        if (!first) throw new Error('nobody is there to die')
        const heirWords = ['--slots', String(3 * slots), '--pool', pools, '--until-idle', '--metrics', '0']
        const heir = at.worker(first.hank, heirWords)
        const port = await metricsPort(heir)
        const killedAt = new Map<string, number>()
        for (const { death, worker, batch } of victims) {
          const dying = deaths[death]?.(worker.child.pid ?? 0) ?? []
          expect(dying.length).toBeGreaterThan(0)
          killedAt.set(batch, Date.now())
          for (const each of dying) signal(each, 'SIGKILL')
        }
        for (const { batch } of victims) {
          await vi.waitFor(async () => expect(await secondClaims(batch)).toHaveLength(slots), {
            timeout: 2 * longestTakeOverMs,
            interval: 200,
          })
          took.push(...(await secondClaims(batch)).map(claimed => claimed - (killedAt.get(batch) ?? 0)))
        }
        // A turn that died is given back by its worker, which lives.
        const { takeovers_total: takeOvers } = await figuresOf(port)
        expect(takeOvers).toBe(2 * slots)
        for (const { sets } of victims)
          for (const name of sets) writeFileSync(join(at.home, `go-${name}`), '')
        expect(await heir.ended, heir.said()).toBe(0)
        for (const { batch, sets, worker } of victims) {
          await worker.kill('SIGTERM')
          expect((await rowsOf(at, batch)).map(({ state }) => state)).toEqual(sets.map(() => 'succeeded'))
          // The codon under way and nothing else.
          expect(sets.map(at.ran)).toEqual(sets.map(() => 'abbc'))
          await expectOrder(at, batch)
        }
      }
      const sorted = took.toSorted((left, right) => left - right)
      expect(sorted[Math.ceil(0.99 * sorted.length) - 1], sorted.join(' ')).toBeLessThan(longestTakeOverMs)
      tally('take-overs', took.length)
      tally(
        'milliseconds of the longest take-over but one of a hundred',
        Math.round(sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0),
      )
    },
    longest,
  )
})
