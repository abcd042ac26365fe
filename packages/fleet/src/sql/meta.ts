import type { Sql } from '../engine/database.ts'

/** Facts about a whole fleet. */
export async function readMeta(sql: Sql, key: string): Promise<string | undefined> {
  const [row] = await sql.query<{ value: string | null }>('select fleet.meta_of($1) as value', [key])
  return row?.value ?? undefined
}

/** The first to say it wins; answers with what holds. */
export async function settleMeta(sql: Sql, key: string, value: string): Promise<string> {
  const [row] = await sql.query<{ value: string }>('select fleet.settle_meta($1, $2) as value', [key, value])
  return row?.value ?? value
}

/** The lease of the whole fleet, in seconds: the queue waits so long, and every worker beats accordingly. */
export async function settleLease(sql: Sql, wish: number): Promise<number> {
  return Number(await settleMeta(sql, 'lease', String(wish)))
}

/** Only for who owns the tables. */
export async function writeMeta(sql: Sql, key: string, value: string): Promise<void> {
  await sql.query(
    'insert into fleet.meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [key, value],
  )
}
