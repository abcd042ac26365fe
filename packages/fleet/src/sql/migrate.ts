import { randomBytes } from 'node:crypto'
import type { Database } from '../engine/database.ts'
import { FleetFault } from '../fault.ts'
import { functions } from './functions.ts'
import { keysAndVersions } from './keys-and-versions.ts'
import { lossesAndAnswers } from './losses-and-answers.ts'
import { money } from './money.ts'
import { peopleFunctions } from './people-functions.ts'
import { peopleSchema } from './people-schema.ts'
import { rightsFunctions, roles } from './rights.ts'
import { schema } from './schema.ts'
import { throttle } from './throttle.ts'

/** In order; what was applied is never edited. */
const migrations = [
  schema + functions,
  peopleSchema + peopleFunctions,
  money,
  throttle,
  rightsFunctions,
  keysAndVersions,
  lossesAndAnswers,
] as const

const newest = migrations.length
/** Any number will do, as long as it is always the same. */
const lockKey = 7_233_041

/** Brings the schema to where this program knows it. Safe to call from many processes at once. */
export async function migrate(database: Database): Promise<void> {
  await database
    .transaction(async sql => {
      await sql.query('select pg_advisory_xact_lock($1)', [lockKey])
      const applied = await appliedIn(sql)
      refuseNewer(applied)
      if (applied === newest) return
      for (const text of migrations.slice(applied)) await sql.query(text)
      await writeMeta(sql, 'schema', String(newest))
      if (applied === 0) await writeMeta(sql, 'fleet_id', randomBytes(6).toString('hex'))
      // Functions that were replaced have lost who may call them.
      if ((await readMeta(sql, 'roles')) !== undefined) await sql.query(roles)
    })
    .catch((error: unknown) => {
      const isRefused = error instanceof Error && 'code' in error && error.code === notAllowed
      if (!isRefused) throw error
      throw new FleetFault('FLEET_SCHEMA', {
        message: `The tables of the fleet are not at schema ${newest}, and this login may not change them.`,
        cure: 'Run "weave fleet migrate" as who owns them.',
      })
    })
}

function refuseNewer(applied: number): void {
  if (applied <= newest) return
  throw new FleetFault('FLEET_VERSION', {
    message: `The fleet has schema ${applied}; this program knows ${newest}.`,
    cure: 'Update weave-fleet on this machine.',
  })
}

/** For who only looks: tables of another schema are left as they are. */
export async function refuseSchema(sql: Queries): Promise<void> {
  const applied = await appliedIn(sql)
  refuseNewer(applied)
  if (applied === newest) return
  const message =
    applied === 0
      ? 'The database that is named has no tables of a fleet: nothing was submitted there yet.'
      : `The tables of the fleet are at schema ${applied}; this program knows ${newest}.`
  throw new FleetFault('FLEET_SCHEMA', {
    message,
    cure: 'Any command of the fleet sees to it: weave fleet list',
  })
}

/** `insufficient_privilege`. */
const notAllowed = '42501'

/** The number of the newest migration that was applied; 0: there are no tables. */
async function appliedIn(sql: Queries): Promise<number> {
  const [row] = await sql.query<{ there: boolean; open: boolean | null }>(
    "select to_regclass('fleet.meta') is not null as there, has_table_privilege(to_regclass('fleet.meta')::oid, 'select') as open",
  )
  if (!row?.there) return 0
  if (!row.open) return Number(await readMeta(sql, 'schema'))
  // Tables from before there were functions for this.
  const [found] = await sql.query<{ value: string }>("select value from fleet.meta where key = 'schema'")
  return Number(found?.value)
}

/** Makes the roles `weave_worker`, `weave_submit` and `weave_view`, and closes the tables to everybody else. */
export async function makeRoles({ database }: { readonly database: Database }): Promise<void> {
  await database.transaction(async sql => {
    await sql.query('select pg_advisory_xact_lock($1)', [lockKey])
    await writeMeta(sql, 'roles', 'yes')
    await sql.query(roles)
  })
}

/** The number of the newest migration that was applied. */
export async function schemaOf({ database }: { readonly database: Database }): Promise<number> {
  return Number(await readMeta(database, 'schema'))
}

type Queries = Pick<Database, 'query'>

export async function readMeta(sql: Queries, key: string): Promise<string | undefined> {
  const [row] = await sql.query<{ value: string | null }>('select fleet.meta_of($1) as value', [key])
  return row?.value ?? undefined
}

/** The first to say it wins; answers with what holds. */
export async function settleMeta(sql: Queries, key: string, value: string): Promise<string> {
  const [row] = await sql.query<{ value: string }>('select fleet.settle_meta($1, $2) as value', [key, value])
  return row?.value ?? value
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
