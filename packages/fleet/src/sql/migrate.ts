import { randomBytes } from 'node:crypto'
import type { Database, Sql } from '../engine/database.ts'
import { FleetFault } from '../fault.ts'
import { fingerprint, functions } from './functions.ts'
import { readMeta, writeMeta } from './meta.ts'
import { roles } from './rights.ts'
import { newestStep, stepsAfter } from './tables.ts'
import { isOlder, version } from './version.ts'

/**
 * What programs and functions agree on: names, parameters and answers. It is raised when an older program could not go on with
 * the functions of a newer one; while it is the same both work side by side, with the functions of the newer.
 */
const api = 1

/** Any number will do, as long as it is always the same. */
const lockKey = 7_233_041

/** How the tables of an engine stand. */
interface Stand {
  /** The newest step that was applied; 0: there are no tables. */
  readonly step: number
  readonly api: number
  readonly fingerprint: string | undefined
  /** The program that made the functions. */
  readonly madeBy: string
}

/** Brings tables and functions to where this program knows them. Safe to call from many processes at once. */
export async function migrate(database: Database): Promise<void> {
  // Most often there is nothing to do, which takes one question.
  if (!isBehind(await readStand(database).catch(() => nothing))) return
  await database
    .transaction(async sql => {
      await sql.query('select pg_advisory_xact_lock($1)', [lockKey])
      const stand = await standOf(sql)
      // Another process may have been first.
      if (isBehind(stand)) await bring(sql, stand)
    })
    .catch((error: unknown) => {
      const isRefused = error instanceof Error && 'code' in error && error.code === notAllowed
      if (!isRefused) throw error
      throw new FleetFault('FLEET_SCHEMA', {
        message: `The tables of the fleet are not as weave ${version} wants them, and this login may not change them.`,
        cure: 'Run "weave fleet migrate" as who owns them.',
      })
    })
}

/** `insufficient_privilege`. */
const notAllowed = '42501'

async function bring(sql: Sql, { step }: Stand): Promise<void> {
  const steps = stepsAfter(step)
  if (!steps)
    throw new FleetFault('FLEET_SCHEMA', {
      message: `The tables of the fleet are at schema ${step}, from before the first release.`,
      cure: 'Drop the schemas fleet and pgboss of that database.',
    })
  for (const text of steps) await sql.query(text)
  await sql.query(functions)
  if (step === 0) await writeMeta(sql, 'fleet_id', randomBytes(6).toString('hex'))
  await writeMeta(sql, 'schema', String(newestStep))
  await writeMeta(sql, 'functions', `${api} ${fingerprint} ${version}`)
  // New functions may be called by anybody.
  if ((await readMeta(sql, 'roles')) !== undefined) await sql.query(roles)
}

/** Whether this program has something to do on them; throws when it cannot work with what is there. */
function isBehind(stand: Stand): boolean {
  if (stand.api > api)
    throw new FleetFault('FLEET_VERSION', {
      message: `The fleet was updated by weave ${stand.madeBy}, with which weave ${version} cannot work.`,
      cure: 'Update weave-runtime and weave-fleet on this machine.',
    })
  if (stand.step !== newestStep) return stand.step < newestStep
  return stand.fingerprint !== fingerprint && !isOlder(version, stand.madeBy)
}

/** For who only looks: tables of another program are left as they are. */
export async function refuseSchema(sql: Sql): Promise<void> {
  const stand = await standOf(sql)
  if (!isBehind(stand)) return
  const message =
    stand.step === 0
      ? 'The database that is named has no tables of a fleet: nothing was submitted there yet.'
      : `The tables of the fleet are not as weave ${version} wants them.`
  throw new FleetFault('FLEET_SCHEMA', {
    message,
    cure: 'Any command of the fleet sees to it: weave fleet list',
  })
}

async function standOf(sql: Sql): Promise<Stand> {
  // Of the catalogue itself: a name that was not there a moment ago is remembered by the connection as missing.
  const [schema] = await sql.query<{ functions: boolean }>(
    `select exists (select 1 from pg_proc p where p.pronamespace = n.oid and p.proname = 'meta_of') as functions
     from pg_namespace n where n.nspname = 'fleet'`,
  )
  return schema?.functions ? readStand(sql) : { ...nothing, step: schema ? 1 : 0 }
}

/** No tables. */
const nothing: Stand = { step: 0, api, fingerprint: undefined, madeBy: version }

async function readStand(sql: Sql): Promise<Stand> {
  const [row] = await sql.query<{ step: string; made: string | null }>(
    "select fleet.meta_of('schema') as step, fleet.meta_of('functions') as made",
  )
  // Absent: functions that a migration made.
  const [ofApi = api, print, madeBy = version] = row?.made?.split(' ') ?? []
  return { step: Number(row?.step), api: Number(ofApi), fingerprint: print, madeBy }
}

/** Makes the roles `weave_worker`, `weave_submit` and `weave_view`, and closes the tables to everybody else. */
export async function makeRoles({ database }: { readonly database: Database }): Promise<void> {
  await database.transaction(async sql => {
    await sql.query('select pg_advisory_xact_lock($1)', [lockKey])
    await writeMeta(sql, 'roles', 'yes')
    await sql.query(roles)
  })
}

/** The newest step that was applied to the tables. */
export async function schemaOf({ database }: { readonly database: Database }): Promise<number> {
  return Number(await readMeta(database, 'schema'))
}
