import { randomBytes } from 'node:crypto'
import { basename, posix, relative, sep } from 'node:path'
import type { Engine } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'
import { parcelFormat } from '../parcel/index.ts'
import { settleLease } from '../sql/migrate.ts'
import type { Store } from '../store/index.ts'
import type { BatchOptions, StoredTree } from '../turn/index.ts'
import { queueNameOf } from '../worker/queue-name.ts'
import { storeTree } from './stored-tree.ts'

export interface Submission {
  readonly name: string
  /** The folder of the hank. */
  readonly hankFolder: string
  /** Files and folders, one per execution; none: one execution without data. */
  readonly data: readonly string[]
  readonly priority: number
  readonly weight: number
  readonly maxRunning?: number | undefined
  readonly pool: string
  /** Seconds; the first to say it decides for the whole fleet. */
  readonly lease: number
  /** The same key gives the same batch. */
  readonly key?: string | undefined
  readonly submittedBy?: string | undefined
  readonly options: BatchOptions
}

export interface Submitted {
  readonly batch: string
  readonly executions: number
  /** It was submitted before, under the same key. */
  readonly isOld: boolean
}

const leftBehind = new Set(['.git', 'node_modules', 'weave-results'])
/** Files with keys in them, by the name that everybody gives them: no key is to be in a store. */
const isEnvFile = (path: string): boolean => /^\.env(\..+)?$/.test(posix.basename(path))
const rowsAtOnce = 500

/** Puts hank and data into the store, then batch, executions and their jobs into the engine: all of them, or none. */
export async function submit(
  given: Submission,
  { engine, store }: { readonly engine: Engine; readonly store: Store },
) {
  const { hankFolder, data, key } = given
  const old = key === undefined ? undefined : await findByKey(engine, key)
  if (old) return old
  const twin = data.find((path, at) => data.indexOf(path) !== at)
  if (twin !== undefined)
    throw new FleetFault('FLEET_DATA', {
      message: `${twin} is named twice.`,
      cure: 'Name each data set once.',
    })
  const insideHank = new Set(data.map(path => relative(hankFolder, path).split(sep).join('/')))
  const skip = (path: string): boolean => leftBehind.has(path) || insideHank.has(path) || isEnvFile(path)
  const hank = await storeTree({ path: hankFolder, skip }, store)
  const rows = await rowsOf(given, store)
  const batch = `${slugOf(given.name)}-${randomBytes(4).toString('hex')}`
  const queueName = queueNameOf(batch, given.pool)
  await engine.queue.open(queueName, await settleLease(engine.database, given.lease))
  await engine.database.transaction(async sql => {
    await sql.query(
      `insert into fleet.batch (id, name, hank, format, pool, priority, weight, max_running, submitted_by, idempotency_key, options)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
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
        key ?? null,
        JSON.stringify(given.options),
      ],
    )
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      const some = rows.slice(at, at + rowsAtOnce)
      const numbers = some.map((_, index) => at + index + 1)
      await sql.query(
        `insert into fleet.execution (id, batch, n, name, data)
         select $1 || '.' || n, $1, n, name, data from unnest($2::int[], $3::text[], $4::jsonb[]) as row (n, name, data)`,
        [
          batch,
          numbers,
          some.map(({ name }) => name),
          some.map(row => (row.data ? JSON.stringify(row.data) : null)),
        ],
      )
      await engine.queue.add(
        queueName,
        numbers.map(n => `${batch}.${n}`),
        sql,
      )
    }
    await sql.query("insert into fleet.event (batch, type, data) values ($1, 'submitted', $2)", [
      batch,
      JSON.stringify({ executions: rows.length }),
    ])
  })
  return { batch, executions: rows.length, isOld: false } satisfies Submitted
}

interface Row {
  readonly name: string
  readonly data: StoredTree | null
}

/** One for each data set. */
async function rowsOf({ data, name }: Submission, store: Store): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const path of data) rows.push({ name: basename(path), data: await storeTree({ path }, store) })
  return rows.length === 0 ? [{ name, data: null }] : rows
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
