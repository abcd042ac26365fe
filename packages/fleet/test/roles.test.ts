import { userInfo } from 'node:os'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { openFleet } from '../src/index.ts'
import { makeRoles } from '../src/sql/migrate.ts'
import { sceneOf } from './scene.ts'
import { fleetOfFile } from './test-fleet.ts'

const fleet = fleetOfFile()
const { sql, submitted, worker, claim } = sceneOf(fleet)

/** A connection of a login with one of the roles. */
const logins: Record<string, pg.Client> = {}
let socket = ''

beforeAll(async () => {
  await makeRoles(fleet().engine)
  const [row] = await sql<{ unix_socket_directories: string }>('show unix_socket_directories')
  socket = row?.unix_socket_directories ?? ''
  for (const role of ['worker', 'submit', 'view']) {
    await sql(`create role a_${role} login in role weave_${role}`)
    const client = new pg.Client({ host: socket, user: `a_${role}`, database: 'postgres' })
    await client.connect()
    logins[role] = client
  }
}, 60_000)

afterAll(() => Promise.all(Object.values(logins).map(client => client.end())))

const refused = { code: '42501' }

describe(`the roles of a fleet (as ${userInfo().username})`, () => {
  verifies(['fleet/roles'], 'let a worker touch no table, and act for its own epoch only', async () => {
    const tables = await sql<{ name: string }>(
      "select format('fleet.%I', tablename) as name from pg_tables where schemaname = 'fleet'",
    )
    expect(tables.length).toBeGreaterThan(7)
    const mine = logins['worker']
    for (const { name } of tables)
      for (const text of [
        `select * from ${name}`,
        `delete from ${name}`,
        `insert into ${name} default values`,
        `truncate ${name}`,
      ])
        await expect(mine?.query(text), text).rejects.toMatchObject(refused)
    const orders = [
      "fleet.cancel('x', 'now', 'me')",
      "fleet.retry('x', '{dead}', 'me')",
      "fleet.pause('x', 'y', 'me')",
    ]
    for (const text of orders) await expect(mine?.query(`select ${text}`)).rejects.toMatchObject(refused)
    await expect(mine?.query("select fleet.settle_meta('fleet_id', 'x')")).rejects.toMatchObject(refused)
    await expect(mine?.query('create table fleet.own ()')).rejects.toMatchObject(refused)
    await worker('w')
    const batch = await submitted(1)
    const id = (await claim('w', batch)) ?? ''
    const ask = async (text: string) =>
      Object.values((await mine?.query(`select ${text}`))?.rows[0] as object)[0]
    const head = `'{"parts": []}'`
    expect(await ask(`fleet.publish('${id}', 0, 1, ${head}, 'a', 1)`)).toBe(false)
    expect(await ask(`fleet.publish('${id}', 2, 1, ${head}, 'a', 1)`)).toBe(false)
    expect(await ask(`fleet.finish('${id}', 2, 'succeeded', null)`)).toBe(false)
    expect(await ask(`fleet.publish('${id}', 1, 1, ${head}, 'a', 1)`)).toBe(true)
  })

  verifies(
    ['fleet/roles'],
    'run functions as their owner, with a search path that nobody else fills',
    async () => {
      const loose = await sql(
        `select proname from pg_proc where pronamespace = 'fleet'::regnamespace
         and (not prosecdef or proconfig is null or not 'search_path=pg_catalog, pg_temp' = any (proconfig))`,
      )
      expect(loose).toEqual([])
    },
  )

  verifies(['fleet/roles'], 'let one look and change nothing, and another submit', async () => {
    const view = logins['view']
    await view?.query('select * from fleet.batch')
    await expect(view?.query('select * from fleet.object')).rejects.toMatchObject(refused)
    await expect(view?.query('update fleet.batch set weight = 2')).rejects.toMatchObject(refused)
    await expect(view?.query("select fleet.cancel('x', 'now', 'me')")).rejects.toMatchObject(refused)
    const url = `postgres:///postgres?host=${encodeURIComponent(socket)}&user=a_submit`
    const environment = { PATH: process.env['PATH'], WEAVE_FLEET_URL: url, WEAVE_FLEET_STORE: 'pg:' }
    const theirs = await openFleet({ home: '/nowhere', environment, works: false })
    try {
      const batch = await sceneOf(() => theirs).submitted(2)
      const rows = await sql('select 1 from fleet.execution where batch = $1', batch)
      expect(rows).toHaveLength(2)
      await expect(
        theirs.engine.database.query("update fleet.execution set state = 'dead'"),
      ).rejects.toMatchObject(refused)
    } finally {
      await theirs.close()
    }
  })
})
