import { readFileSync } from 'node:fs'
import { afterEach, describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { type Database, openDatabase } from '../src/engine/database.ts'
import { functions } from '../src/sql/functions.ts'
import { makeRoles, migrate } from '../src/sql/migrate.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()
const opened: Database[] = []
let made = 0

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

/** Connections to one more database of the engine, in which nothing is yet. */
async function emptyDatabase(most = 1): Promise<readonly Database[]> {
  const name = `other_${++made}`
  const { database } = fleet().engine
  await database.query(`create database ${name}`)
  const [row] = await database.query<{ folder: string; me: string }>(
    "select current_setting('unix_socket_directories') as folder, current_user as me",
  )
  const url = `postgres:///${name}?host=${encodeURIComponent(row?.folder ?? '')}&user=${row?.me}`
  const all = Array.from({ length: most }, () => openDatabase({ url }))
  opened.push(...all)
  return all
}

async function one(): Promise<Database> {
  const [database] = await emptyDatabase()
  if (!database) throw new Error('no database')
  return database
}

const oldTables = readFileSync(new URL('./fixtures/schema-7.sql', import.meta.url), 'utf8')

/** Everything that is in the schema of the fleet but its rows. */
async function pictureOf(database: Database): Promise<unknown> {
  const of = "n.nspname = 'fleet'"
  return {
    columns: await database.query(
      `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attstorage,
         pg_get_expr(d.adbin, d.adrelid) as usual
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where ${of} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped order by 1, 2`,
    ),
    rules: await database.query(
      `select c.conrelid::regclass::text as name, pg_get_constraintdef(c.oid) as rule
       from pg_constraint c join pg_namespace n on n.oid = c.connamespace where ${of} order by 1, 2`,
    ),
    indices: await database.query(
      "select indexdef from pg_indexes where schemaname = 'fleet' order by indexdef",
    ),
    functions: await database.query(
      `select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${of} order by 1`,
    ),
    triggers: await database.query(
      `select pg_get_triggerdef(t.oid) as text from pg_trigger t join pg_class c on c.oid = t.tgrelid
       join pg_namespace n on n.oid = c.relnamespace where ${of} and not t.tgisinternal order by 1`,
    ),
  }
}

async function functionIds(database: Database): Promise<unknown> {
  return database.query(
    "select oid::int from pg_proc where pronamespace = 'fleet'::regnamespace order by oid",
  )
}

async function say(database: Database, key: string, value: string): Promise<void> {
  await database.query('update fleet.meta set value = $2 where key = $1', [key, value])
}

describe('the schema of a fleet', () => {
  verifies(
    ['fleet/migrate'],
    'is the same whether it is new or was made by the program before, and rows are kept',
    async () => {
      const old = await one()
      await old.query(oldTables)
      await old.query(
        `alter table fleet.execution disable trigger user;
         insert into fleet.batch (id, name, hank, format) values ('b', 'kept', '{}', 1);
         insert into fleet.execution (id, batch, n, name) values ('b.1', 'b', 1, 'one');
         insert into fleet.batch_count values ('b', 'queued', 1);
         alter table fleet.execution enable trigger user;`,
      )
      await expect(old.query("select fleet.cancel('b', 'now', 'me')")).rejects.toThrow('of schema 7')
      await migrate(old)
      expect(await pictureOf(old)).toEqual(await pictureOf(fleet().engine.database))
      const [hit] = await old.query("select fleet.cancel('b', 'now', 'me')::int as hit")
      expect(hit).toEqual({ hit: 1 })
      expect(await old.query('select state, n::int from fleet.batch_count order by 1')).toEqual([
        { state: 'cancelled', n: 1 },
        { state: 'queued', n: 0 },
      ])
    },
  )

  verifies(['fleet/migrate'], 'has each function once, and is made once by many at a time', async () => {
    const names = [...functions.matchAll(/create function (fleet\.\w+)/g)].map(([, name]) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(functions).not.toContain('create or replace')
    const all = await emptyDatabase(4)
    await Promise.all(all.map(migrate))
    const [first] = all
    if (!first) throw new Error('no database')
    expect(await pictureOf(first)).toEqual(await pictureOf(fleet().engine.database))
  })

  verifies(
    ['fleet/migrate'],
    'has its functions made anew only when they differ, and not by an older program',
    async () => {
      const database = await one()
      await migrate(database)
      const before = await functionIds(database)
      await migrate(database)
      expect(await functionIds(database)).toEqual(before)
      await database.query('create function fleet.has_work(other int) returns void language sql as $$ $$')
      await say(database, 'functions', '1 others 999.0.0')
      await migrate(database)
      const [left] = await database.query("select count(*)::int as n from pg_proc where proname = 'has_work'")
      expect(left).toEqual({ n: 2 })
      await say(database, 'functions', '1 others 0.0.0')
      await migrate(database)
      expect(await pictureOf(database)).toEqual(await pictureOf(fleet().engine.database))
      expect(await functionIds(database)).not.toEqual(before)
    },
  )

  verifies(
    ['fleet/migrate'],
    'of a newer program is left as it is, and refused when its api is another',
    async () => {
      const database = await one()
      await migrate(database)
      const before = await functionIds(database)
      await say(database, 'schema', '99')
      await say(database, 'functions', '1 others 0.0.0')
      await migrate(database)
      expect(await functionIds(database)).toEqual(before)
      await say(database, 'functions', '2 others 0.0.0')
      await expect(migrate(database)).rejects.toMatchObject({ code: 'FLEET_VERSION' })
      await say(database, 'functions', '1 others 0.0.0')
      await say(database, 'schema', '3')
      await expect(migrate(database)).rejects.toMatchObject({ code: 'FLEET_SCHEMA' })
    },
  )

  verifies(['fleet/migrate', 'fleet/roles'], 'keeps its roles when functions are made anew', async () => {
    const { engine } = fleet()
    await makeRoles(engine)
    const mayCall = (): Promise<unknown> =>
      engine.database.query(
        `select p.proname, r.role, has_function_privilege(r.role, p.oid, 'execute') as may, p.prosecdef
         from pg_proc p, unnest(array['public', 'weave_worker', 'weave_submit', 'weave_view']) r (role)
         where p.pronamespace = 'fleet'::regnamespace order by 1, 2`,
      )
    const before = await mayCall()
    await say(engine.database, 'functions', '1 others 0.0.0')
    await migrate(engine.database)
    expect(await mayCall()).toEqual(before)
  })
})
