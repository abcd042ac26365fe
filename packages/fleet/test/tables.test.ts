import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { cancel, executionsOf, submit } from '../src/index.ts'
import { unpackTar } from '../src/parcel/index.ts'
import { openStore } from '../src/store/index.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()

const usual = { priority: 0, weight: 1, pool: 'default', lease: 10, options: {} }

async function submitted(sets = 1, key?: string) {
  const dir = await tempDir({ inMemory: true })
  const data = Array.from({ length: sets }, (_, at) => join(dir, 'sets', `set-${at}`))
  for (const folder of data) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'a.txt'), folder)
  }
  mkdirSync(join(dir, 'hank'))
  writeFileSync(join(dir, 'hank/hank.json'), '{}')
  const hankFolder = join(dir, 'hank')
  return submit({ ...usual, name: 'A test', hankFolder, data: data.map(path => ({ path })), key }, fleet())
}

/** Takes the next job of a batch and claims its execution, as a worker does. */
async function claim(batch: string) {
  const { database, queue } = fleet().engine
  return database.transaction(async sql => {
    const [job] = await queue.take(`f1.default.${batch}`, 1, sql)
    if (!job) return undefined
    const [row] = await sql.query<{ epoch: string; state: string }>(
      'select * from fleet.claim($1, $2, $3, 3)',
      [job.execution, 'w', job.id],
    )
    return { ...job, epoch: Number(row?.epoch ?? 0) }
  })
}

async function publish(id: string, epoch: number, seq: number): Promise<boolean> {
  const [row] = await fleet().engine.database.query<{ ok: boolean }>(
    'select fleet.publish($1, $2, $3, $4, $5, 1) as ok',
    [id, epoch, seq, JSON.stringify({ seq, epoch, parts: ['x'] }), 'a'],
  )
  return row?.ok ?? false
}

async function call(text: string, values: readonly unknown[]): Promise<boolean> {
  const [row] = await fleet().engine.database.query<{ ok: boolean }>(`select ${text} as ok`, values)
  return row?.ok ?? false
}

describe('the tables of a fleet', () => {
  verifies(
    ['fleet/acknowledged'],
    'hold every execution with its job; the same key gives the same batch',
    async () => {
      const key = randomUUID()
      const { batch, executions } = await submitted(3, key)
      expect(executions).toBe(3)
      expect((await executionsOf(fleet().engine, batch)).map(({ state }) => state)).toEqual(
        Array(3).fill('queued'),
      )
      const jobs = [await claim(batch), await claim(batch), await claim(batch)].map(
        job => job?.execution ?? '',
      )
      expect(new Set(jobs)).toEqual(new Set([1, 2, 3].map(n => `${batch}.${n}`)))
      expect(await claim(batch)).toBeUndefined()
      expect(await submitted(3, key)).toEqual({ batch, executions: 3, isOld: true })
    },
  )

  verifies(['fleet/acknowledged'], 'hold nothing of a submission that failed half-way', async () => {
    const { database, queue } = fleet().engine
    const { batch } = await submitted(1)
    const broken = database.transaction(async sql => {
      await sql.query("update fleet.execution set name = 'other' where batch = $1", [batch])
      await queue.add(`f1.default.${batch}`, [{ execution: `${batch}.99`, priority: 0 }], sql)
      await sql.query('select 1 / 0')
    })
    await expect(broken).rejects.toThrow('division by zero')
    expect((await executionsOf(fleet().engine, batch)).map(({ name }) => name)).toEqual(['set-0'])
    expect((await claim(batch))?.execution).toBe(`${batch}.1`)
    expect(await claim(batch)).toBeUndefined()
  })

  verifies(['fleet/one-turn'], 'let an execution have one job at a time', async () => {
    const { database, queue } = fleet().engine
    const { batch } = await submitted(1)
    await database.transaction(sql =>
      queue.add(`f1.default.${batch}`, [{ execution: `${batch}.1`, priority: 0 }], sql),
    )
    expect(await claim(batch)).toMatchObject({ epoch: 1 })
    await database.transaction(sql =>
      queue.add(`f1.default.${batch}`, [{ execution: `${batch}.1`, priority: 0 }], sql),
    )
    expect(await claim(batch)).toBeUndefined()
  })

  verifies(
    ['fleet/one-writer', 'fleet/one-turn'],
    'let only the newest epoch publish, and only the next number',
    async () => {
      const { batch } = await submitted(1)
      const id = `${batch}.1`
      const first = await claim(batch)
      expect(await publish(id, 1, 1)).toBe(true)
      expect(await publish(id, 1, 1)).toBe(false)
      expect(await publish(id, 1, 3)).toBe(false)
      await fleet().engine.queue.failed(`f1.default.${batch}`, first?.id ?? '', fleet().engine.database)
      expect(await claim(batch)).toMatchObject({ epoch: 2 })
      expect(await publish(id, 1, 2)).toBe(false)
      expect(await call('fleet.finish($1, 1, $2, null)', [id, 'succeeded'])).toBe(false)
      expect(await call('fleet.give_back($1, 1, $2)', [id, 'x'])).toBe(false)
      expect(await publish(id, 2, 2)).toBe(true)
      expect(await call('fleet.finish($1, 2, $2, null)', [id, 'succeeded'])).toBe(true)
      expect(await publish(id, 2, 3)).toBe(false)
      const heads = await fleet().engine.database.query(
        'select seq::int, epoch::int from fleet.head where execution = $1',
        [id],
      )
      expect(heads).toEqual([
        { seq: 1, epoch: 1 },
        { seq: 2, epoch: 2 },
      ])
    },
  )

  verifies(['fleet/poison'], 'call an execution dead that was started three times for nothing', async () => {
    const { batch } = await submitted(1)
    const die = async (): Promise<number | undefined> => {
      const taken = await claim(batch)
      if (taken) await fleet().engine.queue.failed(`f1.default.${batch}`, taken.id, fleet().engine.database)
      return taken?.epoch
    }
    expect([await die(), await die(), await die()]).toEqual([1, 2, 3])
    expect(await die()).toBe(0)
    expect(await executionsOf(fleet().engine, batch)).toMatchObject([
      { state: 'dead', reason: '3 starts in a row without progress' },
    ])
  })
})

describe('what is submitted', () => {
  verifies(['fleet/env-files'], 'leaves files with keys behind, at any depth', async () => {
    const hankFolder = await tempDir({ inMemory: true })
    mkdirSync(join(hankFolder, 'rig'))
    for (const name of ['hank.json', '.env', '.env.local', 'rig/.env', 'rig/.envrc', 'rig/my.env'])
      writeFileSync(join(hankFolder, name), 'KEY=canary')
    const { batch } = await submit({ ...usual, name: 'Keys', hankFolder, data: [] }, fleet())
    const { engine, store } = fleet()
    const [row] = await engine.database.query<{ sha: string }>(
      "select hank->>'sha' as sha from fleet.batch where id = $1",
      [batch],
    )
    const packed = [...unpackTar(gunzipSync(await store.get(row?.sha ?? '')))]
    expect(packed.map(({ path }) => path)).toEqual(['hank.json', 'rig', 'rig/.envrc', 'rig/my.env'])
  })

  verifies(['fleet/cancel'], 'is not cancelled under a name that nobody has', async () => {
    await expect(cancel(fleet().engine, { target: 'nobody', now: false, by: 'me' })).rejects.toThrow(
      'There is no batch nobody.',
    )
  })
})

describe('a store', () => {
  verifies(
    ['fleet/store-checked'],
    'gives back what was put, and refuses what is not what its name says',
    async () => {
      const { database } = fleet().engine
      const folder = await tempDir({ inMemory: true })
      const bytes = Buffer.from('some parcel')
      for (const url of [`file://${folder}`, 'pg:']) {
        const store = openStore(url, { database })
        const sha = await store.put(bytes)
        expect(await store.put(bytes)).toBe(sha)
        expect((await store.get(sha)).equals(bytes)).toBe(true)
        await expect(store.get('0'.repeat(64))).rejects.toThrow('does not have')
        if (url === 'pg:')
          await database.query("update fleet.object set bytes = 'other' where sha = $1", [sha])
        else writeFileSync(join(folder, sha.slice(0, 2), sha), 'other')
        await expect(store.get(sha)).rejects.toThrow('is not what was put there')
      }
      expect(() => openStore('ftp://x', { database })).toThrow('no store that is known')
    },
  )
})
