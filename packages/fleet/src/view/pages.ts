import type { Tables } from '../engine/index.ts'
import { listThrottles, type ProviderLimits } from '../throttle/index.ts'
import { type FailureGroup, failuresOf } from './failures.ts'
import { type BatchDetail, batchStatus, detailsOf, type ExecutionStatus, executionColumns } from './status.ts'
import { listWorkers, type WorkerStatus } from './workers.ts'

/** What a page shows of a whole fleet. Bounded, however much there is. */
export interface FleetPicture {
  /** Those that are not closed first, then the newest. */
  readonly batches: readonly BatchDetail[]
  readonly batchesLeftOut: number
  readonly workers: readonly WorkerStatus[]
  readonly workersLeftOut: number
  readonly throttles: readonly ProviderLimits[]
}

const mostBatches = 50
const mostWorkers = 200

export async function fleetPicture(tables: Tables): Promise<FleetPicture> {
  const ids = await tables.database.query<{ id: string; total: number }>(
    `select b.id, count(*) over ()::int as total from fleet.batch b
     order by b.state = 'closed', b.created desc limit ${mostBatches}`,
  )
  const details = await detailsOf(
    tables,
    ids.map(({ id }) => id),
  )
  const workers = await listWorkers(tables)
  return {
    batches: [
      ...details.filter(({ state }) => state !== 'closed'),
      ...details.filter(({ state }) => state === 'closed'),
    ],
    batchesLeftOut: (ids[0]?.total ?? 0) - ids.length,
    workers: workers.slice(0, mostWorkers),
    workersLeftOut: Math.max(0, workers.length - mostWorkers),
    throttles: await listThrottles(tables),
  }
}

export interface BatchWish {
  readonly batch: string
  /** Only those in this state. */
  readonly state?: string | undefined
  /** Only those with a higher number. */
  readonly after: number
  readonly most: number
}

/** What a page shows of one batch. */
export interface BatchPicture {
  readonly batch: BatchDetail
  readonly failures: readonly FailureGroup[]
  readonly executions: readonly ExecutionStatus[]
  /** How many more fit and have a higher number. */
  readonly left: number
}

const shownFailures = { groups: 20, examples: 3 }

export async function batchPicture(tables: Tables, wish: BatchWish): Promise<BatchPicture> {
  const batch = await batchStatus(tables, wish.batch)
  const fits = 'e.batch = $1 and e.n > $2 and ($3::text is null or e.state = $3)'
  const values = [wish.batch, wish.after, wish.state ?? null]
  const executions = await tables.database.query<ExecutionStatus>(
    `select ${executionColumns} from fleet.execution e where ${fits} order by e.n limit $4`,
    [...values, wish.most],
  )
  const [row] = await tables.database.query<{ n: number }>(
    `select count(*)::int as n from fleet.execution e where ${fits}`,
    values,
  )
  const failures = await failuresOf(tables, { batch: wish.batch, ...shownFailures })
  return { batch, failures, executions, left: (row?.n ?? 0) - executions.length }
}
