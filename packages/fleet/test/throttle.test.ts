import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../test/support/proof.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { listThrottles, setThrottle, submit } from '../src/index.ts'
import { createThrottle } from '../src/throttle/index.ts'
import type { RequestFacts } from '../src/turn/index.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()
const { signal } = new AbortController()

function facts(provider: string, tokens?: number): RequestFacts {
  return {
    provider,
    kind: 'answer',
    model: 'm',
    ...(tokens !== undefined && { most: { tokens, micros: 1 } }),
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** A provider with a bucket of its own, of one second. */
function providerOf(perMinute: number) {
  const burst = perMinute / 60
  let level = burst
  let at = performance.now()
  const taken: number[] = []
  let refusals = 0
  return {
    taken,
    refusals: () => refusals,
    ask(): number {
      const now = performance.now()
      level = Math.min(burst, level + ((now - at) / 60_000) * perMinute)
      at = now
      // One request more or less is the jitter of two clocks.
      if (level < 0.01) {
        refusals++
        return 429
      }
      level--
      taken.push(now)
      return 200
    },
  }
}

describe('the throttle of a provider', () => {
  verifies(
    ['throttle/rate'],
    'lets 48 agents of three workers use what it allows, and is hardly ever refused',
    async () => {
      const seconds = isProof ? 60 : 10
      const perMinute = 600
      await setThrottle(fleet().engine, { key: 'rated', rpm: perMinute })
      const provider = providerOf(perMinute)
      const workers = [1, 2, 3].map(() => createThrottle(fleet().engine.database))
      const began = performance.now()
      const isOver = () => performance.now() - began > seconds * 1_000
      const agent = async (throttle: (typeof workers)[number]): Promise<void> => {
        while (!isOver()) {
          await throttle.before(facts('rated'), signal)
          if (isOver()) return
          const status = provider.ask()
          await pause(20 + 60 * Math.random())
          throttle.after(facts('rated'), { micros: 0, status, retryAfterMs: 200 })
        }
      }
      await Promise.all(workers.flatMap(each => Array.from({ length: 16 }, () => agent(each))))
      const allowed = (perMinute / 60) * seconds
      expect(provider.refusals()).toBeLessThanOrEqual(3)
      expect(provider.taken.length).toBeGreaterThanOrEqual(0.85 * allowed)
      expect(provider.taken.length).toBeLessThanOrEqual(allowed + perMinute / 60 + 1)
      tally('requests under a common rate', provider.taken.length)
    },
    120_000,
  )

  verifies(['throttle/pushed-back'], 'holds everybody back for as long as the provider says', async () => {
    const { database } = fleet().engine
    const [one, other] = [createThrottle(database), createThrottle(database)]
    await one.before(facts('busy'), signal)
    one.after(facts('busy'), { micros: 0, status: 529, retryAfterMs: 700 })
    const since = performance.now()
    await pause(100)
    await other.before(facts('busy'), signal)
    expect(performance.now() - since).toBeGreaterThan(600)
    await setThrottle(fleet().engine, { key: 'slow', rpm: 6_000 })
    one.after(facts('slow'), { micros: 0, status: 429, retryAfterMs: 50 })
    one.after(facts('slow'), { micros: 0, status: 429, retryAfterMs: 50 })
    await pause(200)
    await one.before(facts('slow'), signal)
    const found = (await listThrottles(fleet().engine)).find(({ key }) => key === 'slow')
    // Lowered once for both, and on its way back by one part in a hundred each second.
    expect(found?.limitNow).toBeGreaterThan(0.7 * 6_000)
    expect(found?.limitNow).toBeLessThan(0.8 * 6_000)
    expect(found?.refusals).toBe(2)
  })

  verifies(
    ['throttle/rate'],
    'counts tokens at their most, and gives back what an answer did not use',
    async () => {
      await setThrottle(fleet().engine, { key: 'wordy', tpm: 4_000 })
      const throttle = createThrottle(fleet().engine.database)
      const large = facts('wordy', 1_000)
      await throttle.before(large, signal)
      throttle.after(large, { micros: 0, tokens: 10, status: 200 })
      await pause(100)
      const began = performance.now()
      await throttle.before(facts('wordy', 900), signal)
      expect(performance.now() - began).toBeLessThan(1_000)
      const leaving = new AbortController()
      const waits = throttle.before(facts('wordy', 900), leaving.signal)
      await pause(300)
      leaving.abort()
      expect(await waits).toMatchObject({ kind: 'refuse' })
    },
  )

  verifies(
    ['throttle/running'],
    'has so many places for codons, and takes back those of the dead',
    async () => {
      const { database, queue } = fleet().engine
      await setThrottle(fleet().engine, { key: 'small', running: 1 })
      const hankFolder = await tempDir({ inMemory: true })
      const usual = { priority: 0, weight: 1, pool: 'default', lease: 10, options: {}, data: [], hankFolder }
      const ids: string[] = []
      for (const name of ['one', 'two']) {
        const { batch } = await submit({ ...usual, name }, fleet())
        await database.transaction(async sql => {
          const [job] = await queue.take(`f1.default.${batch}`, 1, sql)
          await sql.query('select * from fleet.claim($1, $2, $3, 3)', [job?.execution, 'w', job?.id])
          ids.push(job?.execution ?? '')
        })
      }
      const [first, second] = ids
      const take = async (id: string | undefined): Promise<boolean> => {
        const rows = await database.query<{ ok: boolean }>(
          "select fleet.slot_take('small', 'm', $1, 1) as ok",
          [id],
        )
        return rows[0]?.ok ?? false
      }
      expect([await take(first), await take(second), await take(first)]).toEqual([true, false, true])
      await database.query('select fleet.slot_free($1, 1)', [first])
      expect([await take(second), await take(first)]).toEqual([true, false])
      await database.query('update fleet.execution set epoch = 2 where id = $1', [second])
      expect(await take(first)).toBe(true)
    },
  )
})
