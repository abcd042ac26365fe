import type { Engine } from '../engine/index.ts'
import { queueNameOf } from '../sql/queue-name.ts'
import type { Store } from '../store/index.ts'

export interface Garbage {
  /** Batches whose executions all ended long ago: their heads are let go, and they are closed. */
  readonly batches: readonly string[]
  readonly objects: number
  readonly bytes: number
  readonly events: number
  readonly workers: readonly string[]
}

export interface GarbageWish {
  /** How long what has ended is kept. */
  readonly retainDays: number
  /** Only says what would go. */
  readonly isPreview: boolean
}

/** What is younger may be on its way: objects are put before anything names them. */
const youngMs = 24 * 3_600_000

/** Drops what nobody needs: objects that nothing names, heads and queues of what ended long ago, old events, silent workers. */
export async function collectGarbage(
  { engine, store }: { readonly engine: Engine; readonly store: Store },
  { retainDays, isPreview }: GarbageWish,
): Promise<Garbage> {
  const over = await batchesOver(engine, retainDays)
  const closing = over.map(({ id }) => id)
  if (!isPreview) for (const batch of over) await close(engine, batch)
  // First what is there, then what is named: an object that is named in between is not taken.
  const old = await store.olderThan(youngMs)
  const named = await namesOf(engine, closing)
  const loose = old.filter(({ sha }) => !named.has(sha))
  const gone: typeof loose = []
  for (const object of loose) if (isPreview || (await store.remove(object.sha, youngMs))) gone.push(object)
  if (!isPreview)
    await engine.database.query("delete from fleet.tail where until < clock_timestamp() - interval '1 day'")
  return {
    batches: closing,
    objects: gone.length,
    bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0),
    events: await dropEvents(engine, { retainDays, isPreview }),
    workers: isPreview ? [] : await bury(engine),
  }
}

interface OldBatch {
  readonly id: string
  readonly pool: string
}

function batchesOver({ database }: Engine, retainDays: number): Promise<readonly OldBatch[]> {
  return database.query<OldBatch>(
    `select b.id, b.pool from fleet.batch b
     where b.state <> 'closed' and b.created < clock_timestamp() - $1 * interval '1 day'
       and not exists (
         select 1 from fleet.execution e where e.batch = b.id
           and (e.ended is null or e.ended > clock_timestamp() - $1 * interval '1 day' or e.state = 'waiting'))`,
    [retainDays],
  )
}

async function close({ database, queue }: Engine, { id, pool }: OldBatch): Promise<void> {
  await database.transaction(async sql => {
    await sql.query("update fleet.batch set state = 'closed' where id = $1", [id])
    await sql.query(
      'delete from fleet.head h using fleet.execution e where e.id = h.execution and e.batch = $1',
      [id],
    )
    await sql.query('update fleet.execution set head = null where batch = $1', [id])
  })
  await queue.drop(queueNameOf(id, pool))
}

/** All objects that something needs: hanks and data of batches that are not closed, and the parcels of heads. */
async function namesOf({ database }: Engine, closing: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ sha: string }>(
    `select b.hank ->> 'sha' as sha from fleet.batch b where b.state <> 'closed' and b.id <> all ($1)
     union select e.data ->> 'sha' from fleet.execution e join fleet.batch b on b.id = e.batch
       where e.data is not null and b.state <> 'closed' and b.id <> all ($1)
     union select jsonb_array_elements_text(e.head -> 'parts') from fleet.execution e
       where e.head is not null and e.batch <> all ($1)`,
    [closing],
  )
  return new Set(rows.map(({ sha }) => sha))
}

async function dropEvents({ database }: Engine, { retainDays, isPreview }: GarbageWish): Promise<number> {
  const old = "from fleet.event where at < clock_timestamp() - $1 * interval '1 day'"
  const text = isPreview
    ? `select count(*)::int as n ${old}`
    : `with gone as (delete ${old} returning 1) select count(*)::int as n from gone`
  const [row] = await database.query<{ n: number }>(text, [retainDays])
  return row?.n ?? 0
}

async function bury({ database }: Engine): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>('select fleet.bury_workers() as id')
  return rows.map(({ id }) => id)
}
