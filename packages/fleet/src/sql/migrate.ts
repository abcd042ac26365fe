import { randomBytes } from 'node:crypto'
import type { Database } from '../engine/database.ts'
import { FleetFault } from '../fault.ts'
import { functions } from './functions.ts'
import { money } from './money.ts'
import { peopleFunctions } from './people-functions.ts'
import { peopleSchema } from './people-schema.ts'
import { schema } from './schema.ts'
import { throttle } from './throttle.ts'

/** In order; what was applied is never edited. */
const migrations = [schema + functions, peopleSchema + peopleFunctions, money, throttle] as const

const newest = migrations.length
/** Any number will do, as long as it is always the same. */
const lockKey = 7_233_041

/** Brings the schema to where this program knows it. Safe to call from many processes at once. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async sql => {
    await sql.query('select pg_advisory_xact_lock($1)', [lockKey])
    const [there] = await sql.query<{ there: boolean }>(
      "select to_regclass('fleet.meta') is not null as there",
    )
    const applied = there?.there ? Number(await readMeta(sql, 'schema')) : 0
    if (applied > newest)
      throw new FleetFault('FLEET_VERSION', {
        message: `The fleet has schema ${applied}; this program knows ${newest}.`,
        cure: 'Update weave-fleet on this machine.',
      })
    for (const text of migrations.slice(applied)) await sql.query(text)
    if (applied === newest) return
    await writeMeta(sql, 'schema', String(newest))
    if (applied === 0) await writeMeta(sql, 'fleet_id', randomBytes(6).toString('hex'))
  })
}

/** The number of the newest migration that was applied. */
export async function schemaOf({ database }: { readonly database: Database }): Promise<number> {
  return Number(await readMeta(database, 'schema'))
}

type Queries = Pick<Database, 'query'>

export async function readMeta(sql: Queries, key: string): Promise<string | undefined> {
  const [row] = await sql.query<{ value: string }>('select value from fleet.meta where key = $1', [key])
  return row?.value
}

/** The first to say it wins; answers with what holds. */
export async function settleMeta(sql: Queries, key: string, value: string): Promise<string> {
  await sql.query('insert into fleet.meta (key, value) values ($1, $2) on conflict do nothing', [key, value])
  return (await readMeta(sql, key)) ?? value
}

/** The lease of the whole fleet, in seconds: the queue waits so long, and every worker beats accordingly. */
export async function settleLease(sql: Queries, wish: number): Promise<number> {
  return Number(await settleMeta(sql, 'lease', String(wish)))
}

async function writeMeta(sql: Queries, key: string, value: string): Promise<void> {
  await sql.query(
    'insert into fleet.meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [key, value],
  )
}
