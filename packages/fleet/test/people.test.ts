import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  batchStatus,
  cancel,
  collectGarbage,
  drain,
  executionsOf,
  listEvents,
  listWorkers,
  pause,
  reportOf,
  resume,
  retry,
} from '../src/index.ts'
import { sceneOf } from './scene.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()
const scene = sceneOf(fleet)
const { sql, submitted, worker, silence, offered, claim, end, counted } = scene
const by = 'ana'

/** Each test has the fleet for itself. */
afterEach(async () => {
  await sql("update fleet.batch set state = 'closed'")
  await sql('delete from fleet.worker')
})

async function stateOf(batch: string): Promise<readonly string[]> {
  return (await executionsOf(fleet().engine, batch)).map(({ state }) => state)
}

describe('slots', () => {
  verifies(
    ['fleet/fair'],
    'are shared by weight among batches of one priority, the highest first',
    async () => {
      await worker('w')
      const batches = [
        await submitted(12, { weight: 1 }),
        await submitted(12, { weight: 2 }),
        await submitted(12, { weight: 4 }),
      ]
      const urgent = await submitted(2, { priority: 1 })
      expect(await claim('w')).toContain(urgent)
      expect(await claim('w')).toContain(urgent)
      for (let slot = 0; slot < 14; slot++) await claim('w')
      const running = await Promise.all(
        batches.map(async batch => (await batchStatus(fleet().engine, batch)).counts['running'] ?? 0),
      )
      const fair = [2, 4, 8]
      for (const [at, count] of running.entries())
        expect(Math.abs(count - (fair[at] ?? 0))).toBeLessThanOrEqual(1)
      expect(running.reduce((sum, count) => sum + count, 0)).toBe(14)
    },
  )

  verifies(
    ['fleet/max-running'],
    'are as many as a batch allows; those of a silent worker are free again',
    async () => {
      await worker('w')
      const batch = await submitted(3, { maxRunning: 1 })
      const first = await claim('w')
      expect(first).toBe(`${batch}.1`)
      expect(await offered()).toEqual([])
      expect(await claim('w', batch)).toBeUndefined()
      await silence('w')
      expect(await offered()).toEqual([batch])
      await worker('v')
      expect(await claim('v')).toBeDefined()
    },
  )

  verifies(['fleet/not-before', 'fleet/pool'], 'wait for the time of a batch, and for its pool', async () => {
    await worker('w')
    const later = await submitted(1, { notBefore: new Date(Date.now() + 3_600_000) })
    const elsewhere = await submitted(1, { pool: 'gpu' })
    expect(await offered()).toEqual([])
    expect(await offered(['default', 'gpu'])).toEqual([elsewhere])
    await sql(
      "update fleet.batch set not_before = clock_timestamp() - interval '1 second' where id = $1",
      later,
    )
    expect(await offered()).toEqual([later])
  })
})

describe('the breaker of a batch', () => {
  verifies(
    ['fleet/breaker'],
    'pauses it when too many ends are alike, and once it is resumed anew',
    async () => {
      await worker('w')
      const batch = await submitted(8, { breaker: { window: 4, share: 0.5 } })
      const fail = async (reason: string) => end((await claim('w', batch)) ?? '', 'failed', reason)
      await fail('one thing')
      await fail('another thing')
      expect((await batchStatus(fleet().engine, batch)).state).toBe('open')
      await fail('one thing')
      expect(await batchStatus(fleet().engine, batch)).toMatchObject({
        state: 'paused',
        pauseReason: 'breaker: 2 failed alike: one thing',
      })
      expect(await offered()).toEqual([])
      const events = await listEvents(fleet().engine, { target: batch, most: 100 })
      expect(events.filter(({ type }) => type === 'paused')).toHaveLength(1)
      expect(await resume(fleet().engine, { target: batch, by })).toBe(true)
      await fail('one thing')
      expect((await batchStatus(fleet().engine, batch)).state).toBe('open')
    },
  )

  verifies(['fleet/breaker-told'], 'is told by one of all workers, again while nobody heard it', async () => {
    await worker('w')
    const batch = await submitted(3, { breaker: { window: 1, share: 1 }, name: 'b' })
    const pausedOnce = async () => end((await claim('w', batch)) ?? '', 'failed', 'a reason')
    const taken = () => sql<{ batch: string; notice: { id: string } }>('select * from fleet.take_notice()')
    const hasNotice = async () =>
      (await sql<{ has_notice: boolean }>("select has_notice from fleet.orders_for('w')"))[0]?.has_notice
    expect(await hasNotice()).toBe(false)
    await pausedOnce()
    expect(await hasNotice()).toBe(true)
    const all = (await Promise.all([taken(), taken(), taken()])).flat()
    expect(all).toMatchObject([{ batch, name: 'b', notice: { failed: 1 } }])
    expect(JSON.stringify(all)).not.toContain('a reason')
    expect(await taken()).toEqual([])
    expect(await hasNotice()).toBe(false)
    await sql(
      "update fleet.batch set notice_until = clock_timestamp() - interval '1 second' where id = $1",
      batch,
    )
    const [again] = await taken()
    expect(again?.notice.id).toBe(all[0]?.notice.id)
    await sql('select fleet.notice_told($1, $2)', batch, again?.notice.id)
    await sql("update fleet.batch set notice_until = '-infinity' where id = $1", batch)
    expect(await taken()).toEqual([])
    await resume(fleet().engine, { target: batch, by })
    await pausedOnce()
    expect((await taken())[0]?.notice.id).not.toBe(again?.notice.id)
    await resume(fleet().engine, { target: batch, by })
    await sql("update fleet.batch set notice_until = '-infinity' where id = $1", batch)
    expect(await taken()).toEqual([])
  })

  verifies(['fleet/breaker'], 'pauses it at the third refusal of a key', async () => {
    await worker('w')
    const batch = await submitted(4)
    for (let at = 0; at < 3; at++)
      await end((await claim('w', batch)) ?? '', 'failed', 'authentication failed: the API key is not valid')
    expect((await batchStatus(fleet().engine, batch)).state).toBe('paused')
  })
})

describe('orders', () => {
  verifies(
    ['fleet/retry', 'fleet/events', 'fleet/counts'],
    'queue again what failed, died or was cancelled, and say who wanted it',
    async () => {
      await worker('w')
      const { engine } = fleet()
      const batch = await submitted(3)
      await end((await claim('w', batch)) ?? '', 'failed', 'x')
      await cancel(engine, { target: `${batch}.2`, now: false, by })
      await sql("update fleet.execution set state = 'dead' where id = $1", `${batch}.3`)
      expect(await stateOf(batch)).toEqual(['failed', 'cancelled', 'dead'])
      expect(await retry(engine, { target: batch, by, states: ['failed'] })).toBe(1)
      expect(await retry(engine, { target: batch, by, states: ['failed'] })).toBe(0)
      expect(await stateOf(batch)).toEqual(['queued', 'cancelled', 'dead'])
      expect(await retry(engine, { target: batch, by, states: ['dead', 'cancelled'] })).toBe(2)
      expect(await stateOf(batch)).toEqual(['queued', 'queued', 'queued'])
      const again = [await claim('w', batch), await claim('w', batch), await claim('w', batch)]
      expect(new Set(again)).toEqual(new Set([1, 2, 3].map(n => `${batch}.${n}`)))
      const events = await listEvents(engine, { target: batch, most: 100 })
      const ordered = events.filter(({ type }) => type === 'retried' || type === 'cancelled')
      expect(ordered.map(({ type, data }) => [type, data?.['by']])).toEqual([
        ['cancelled', by],
        ['retried', by],
        ['retried', by],
      ])
      const both = (await counted(batch)) as { kept: unknown; true: unknown }
      expect(both.kept).toEqual(both.true)
    },
  )

  verifies(['fleet/pause'], 'hold a batch and let it go', async () => {
    await worker('w')
    const batch = await submitted(1)
    const { engine } = fleet()
    expect(await pause(engine, { target: batch, by, why: 'lunch' })).toBe(true)
    expect(await pause(engine, { target: batch, by })).toBe(false)
    expect(await offered()).toEqual([])
    expect(await batchStatus(engine, batch)).toMatchObject({ state: 'paused', pauseReason: 'lunch' })
    expect(await resume(engine, { target: batch, by })).toBe(true)
    expect(await offered()).toEqual([batch])
    await expect(pause(engine, { target: 'nobody', by })).rejects.toMatchObject({ code: 'FLEET_UNKNOWN' })
  })

  verifies(['fleet/drain-order', 'fleet/look'], 'tell workers to end, which shows', async () => {
    await worker('w')
    await worker('v')
    await silence('v')
    const { engine } = fleet()
    expect(await drain(engine, { worker: 'w', now: false, by })).toEqual(['w'])
    expect(Object.fromEntries((await listWorkers(engine)).map(({ id, state }) => [id, state]))).toEqual({
      v: 'silent',
      w: 'draining',
    })
    await expect(drain(engine, { worker: 'x', now: false, by })).rejects.toMatchObject({
      code: 'FLEET_UNKNOWN',
    })
  })
})

describe('the report of a batch', () => {
  verifies(['fleet/report'], 'groups failures by reason, and costs by codon and model', async () => {
    await worker('w')
    const batch = await submitted(4)
    const cost = { model: 'm', attempts: 1, in: 1, out: 2, cacheWrite: 0, cacheRead: 0, isKnown: true }
    for (const reason of ['x', 'y', 'x']) {
      const id = (await claim('w', batch)) ?? ''
      for (const codon of ['a', 'b#0', 'b#1'])
        await sql(
          'select fleet.note_costs($1, 1, $2)',
          id,
          JSON.stringify([{ ...cost, codon, dollars: 0.25 }]),
        )
      await sql(
        'select fleet.note_costs($1, 99, $2)',
        id,
        JSON.stringify([{ ...cost, codon: 'zombie', dollars: 9 }]),
      )
      await end(id, 'failed', reason)
    }
    const { costs, failures, batch: found } = await reportOf(fleet().engine, batch)
    expect(costs.map(({ codon, dollars, attempts }) => [codon, dollars, attempts])).toEqual([
      ['b', 1.5, 6],
      ['a', 0.75, 3],
    ])
    expect(failures.map(({ reason, executions }) => [reason, executions.length])).toEqual([
      ['x', 2],
      ['y', 1],
    ])
    expect(found.dollars).toBe(2.25)
  })
})

describe('garbage', () => {
  verifies(['fleet/gc'], 'is what nothing names and is old, and what ended long ago', async () => {
    const { store, engine } = fleet()
    await sql("update fleet.batch set state = 'open'")
    const batch = await submitted(1)
    const loose = await store.put(Buffer.from('nothing names this'))
    const young = await store.put(Buffer.from('nothing names this yet'))
    age(store.url, sha => sha !== young)
    const wish = { retainDays: 30, isPreview: false }
    const seen = await collectGarbage(fleet(), { ...wish, isPreview: true })
    expect(seen.objects).toBeGreaterThan(0)
    expect((await store.get(loose)).toString()).toBe('nothing names this')
    expect((await collectGarbage(fleet(), wish)).objects).toBe(seen.objects)
    await expect(store.get(loose)).rejects.toThrow('does not have')
    expect((await store.get(young)).toString()).toContain('yet')
    const [row] = await sql<{ hank: string; data: string }>(
      `select b.hank ->> 'sha' as hank, e.data ->> 'sha' as data from fleet.batch b join fleet.execution e on e.batch = b.id where b.id = $1`,
      batch,
    )
    expect((await store.get(row?.data ?? '')).length).toBeGreaterThan(0)
    await sql(
      "update fleet.execution set state = 'succeeded', ended = clock_timestamp() - interval '31 days' where batch = $1",
      batch,
    )
    await sql("update fleet.batch set created = clock_timestamp() - interval '32 days' where id = $1", batch)
    expect((await collectGarbage(fleet(), wish)).batches).toContain(batch)
    await expect(store.get(row?.data ?? '')).rejects.toThrow('does not have')
    expect((await batchStatus(engine, batch)).state).toBe('closed')
  })
})

/** Makes objects two days old. */
function age(url: string, isMeant: (sha: string) => boolean): void {
  const folder = fileURLToPath(url)
  const old = new Date(Date.now() - 2 * 24 * 3_600_000)
  for (const name of readdirSync(folder))
    for (const sha of readdirSync(join(folder, name)))
      if (isMeant(sha)) utimesSync(join(folder, name, sha), old, old)
}
