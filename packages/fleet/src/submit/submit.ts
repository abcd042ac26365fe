import { randomBytes } from 'node:crypto'
import type { Engine, Sql } from '../engine/index.ts'
import { parcelFormat } from '../parcel/index.ts'
import { settleLease, settleMeta } from '../sql/meta.ts'
import { queueNameOf } from '../sql/queue-name.ts'
import { refuseKey, type Store } from '../store/index.ts'
import type { NamedTree, StoredTree } from '../turn/index.ts'
import { nameTree, packTree, type TreeWish } from './stored-tree.ts'
import { hankTree, nameOf, refuseRows, type Submission } from './submission.ts'

export interface Submitted {
  readonly batch: string
  readonly executions: number
  /** It was submitted before, under the same key. */
  readonly isOld: boolean
}

const rowsAtOnce = 500
/** A store of files waits for its disk, a bucket for its network. Few: each may be as large as an object may be. */
const treesAtOnce = 4

/** Puts hank and data into the store, then batch, executions and their jobs into the engine: all of them, or none. */
export async function submit(
  given: Submission,
  { engine, store }: { readonly engine: Engine; readonly store: Store },
): Promise<Submitted> {
  const { key } = given
  const old = key === undefined ? undefined : await findByKey(engine, key)
  if (old) return old
  refuseRows(given)
  refuseKey(store.keyCheck, await settleMeta(engine.database, 'key_check', store.keyCheck))
  const hank = await storeTree(hankTree(given), store)
  const rows = await rowsOf(given, store)
  const batch = `${slugOf(given.name)}-${randomBytes(4).toString('hex')}`
  const queueName = queueNameOf(batch, given.pool)
  await engine.queue.open(queueName, await settleLease(engine.database, given.lease))
  await engine.database.transaction(async sql => {
    await addBatch(sql, batch, { given, hank })
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      const some = rows.slice(at, at + rowsAtOnce).map((row, index) => ({ ...row, n: at + index + 1 }))
      await addRows(sql, batch, some)
      const jobs = some.map(({ n, priority }) => ({ execution: `${batch}.${n}`, priority }))
      await engine.queue.add(queueName, jobs, sql)
    }
    await sql.query("select fleet.ordered($1, 'submitted', $2)", [
      batch,
      JSON.stringify({ by: given.submittedBy, executions: rows.length }),
    ])
  })
  return { batch, executions: rows.length, isOld: false }
}

async function addBatch(
  sql: Sql,
  batch: string,
  { given, hank }: { readonly given: Submission; readonly hank: StoredTree },
): Promise<void> {
  const { breaker = { window: 20, share: 0.5 }, notBefore } = given
  await sql.query(
    `insert into fleet.batch (id, name, hank, format, pool, priority, weight, max_running, submitted_by, idempotency_key,
       options, not_before, breaker, budget, providers) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      batch,
      given.name,
      JSON.stringify(hank),
      parcelFormat,
      given.pool,
      given.priority,
      given.weight,
      given.maxRunning ?? null,
      given.submittedBy ?? null,
      given.key ?? null,
      JSON.stringify(given.options),
      notBefore?.toISOString() ?? null,
      JSON.stringify(breaker),
      given.budget ?? null,
      given.providers ?? [],
    ],
  )
}

async function addRows(
  sql: Sql,
  batch: string,
  rows: readonly (Row & { readonly n: number })[],
): Promise<void> {
  await sql.query(
    `insert into fleet.execution (id, batch, n, name, data, options, priority)
     select $1 || '.' || n, $1, n, name, data, options, priority
     from unnest($2::int[], $3::text[], $4::jsonb[], $5::jsonb[], $6::int[]) as row (n, name, data, options, priority)`,
    [
      batch,
      rows.map(({ n }) => n),
      rows.map(({ name }) => name),
      rows.map(({ data }) => (data ? JSON.stringify(data) : null)),
      rows.map(({ options }) => JSON.stringify(options)),
      rows.map(({ priority }) => priority),
    ],
  )
}

interface Row {
  readonly name: string
  readonly data: StoredTree | NamedTree | null
  readonly options: { readonly model?: string | undefined; readonly maxCost?: string | undefined }
  readonly priority: number
}

/** One for each data set; data that several work on is stored once. */
async function rowsOf({ data, name, isByPath }: Submission, store: Store): Promise<readonly Row[]> {
  const left = [...new Set(data.map(({ path }) => path))].reverse()
  const stored = new Map<string, StoredTree | NamedTree>()
  const lane = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop())
      stored.set(path, await (isByPath ? nameTree(path) : storeTree({ path }, store)))
  }
  const stop = (error: unknown): never => {
    left.length = 0
    throw error
  }
  await Promise.all(Array.from({ length: treesAtOnce }, () => lane().catch(stop)))
  const rows = data.map(set => {
    const { path, model, maxCost, priority = 0 } = set
    return { name: nameOf(set), data: stored.get(path) ?? null, options: { model, maxCost }, priority }
  })
  return rows.length === 0 ? [{ name, data: null, options: {}, priority: 0 }] : rows
}

async function storeTree(wish: TreeWish, store: Store): Promise<StoredTree> {
  const { bytes, ...tree } = await packTree(wish)
  return { ...tree, sha: await store.put(bytes) }
}

async function findByKey({ database }: Engine, key: string): Promise<Submitted | undefined> {
  const [row] = await database.query<{ id: string; n: number }>(
    `select b.id, (select count(*)::int from fleet.execution e where e.batch = b.id) as n
     from fleet.batch b where b.idempotency_key = $1`,
    [key],
  )
  return row && { batch: row.id, executions: row.n, isOld: true }
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return slug.slice(0, 40) || 'batch'
}
