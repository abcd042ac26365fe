import type { Engine, Sql } from '../engine/index.ts'
import type { NewJob } from '../engine/queue.ts'
import { queueNameOf } from '../sql/queue-name.ts'
import type { BatchOptions, ClaimedExecution, StoredTree } from '../turn/index.ts'

/** A row of the batches that may be worked on. */
export interface OfferedBatch {
  readonly id: string
  readonly hank: StoredTree
  readonly options: BatchOptions
  readonly pool: string
  readonly max_running: number | null
}

export interface Claimant {
  readonly worker: string
  /** So many starts in a row without a new head, and an execution is dead. */
  readonly maxBarren: number
  /** Of the turn that it has of an execution. */
  epochOf(execution: string): number | undefined
}

/** An execution that this worker has, and goes on with. */
export interface Kept {
  readonly kept: string
}

/**
 * The next execution of a batch: job and claim in one transaction. `none`: there is none for this worker. `dropped`: its job was
 * one of an execution that is cancelled, dead or ended. The queue gives away the job of a turn of which it heard nothing for a lease;
 * when it comes back to its worker before anybody else claimed it, as after a machine or the engine slept, that turn goes on.
 */
export async function claimOne(
  { database, queue }: Engine,
  batch: OfferedBatch,
  claimant: Claimant,
): Promise<ClaimedExecution | Kept | 'none' | 'dropped'> {
  const { worker, maxBarren } = claimant
  const queueName = queueNameOf(batch.id, batch.pool)
  return database.transaction(async sql => {
    if (batch.max_running !== null && !(await mayStart(sql, batch.id))) return 'none'
    const [job] = await queue.take(queueName, 1, sql)
    if (!job) return 'none'
    if (await isHeld(sql, job.execution, claimant)) return { kept: job.execution }
    const [claimed] = await sql.query<ClaimedExecution>('select * from fleet.claim($1, $2, $3, $4)', [
      job.execution,
      worker,
      job.id,
      maxBarren,
    ])
    if (claimed) return claimed
    await queue.done(queueName, job.id, sql)
    // Written by a newer program: one of its kind takes it.
    const left = await sql.query<NewJob>('select * from fleet.still_open($1)', [job.execution])
    await queue.add(queueName, left, sql)
    return left.length > 0 ? 'none' : 'dropped'
  })
}

async function isHeld(sql: Sql, execution: string, { worker, epochOf }: Claimant): Promise<boolean> {
  const epoch = epochOf(execution)
  if (epoch === undefined) return false
  const held = await sql.query('select id from fleet.beat($1, $2, $3)', [worker, [execution], [epoch]])
  return held.length > 0
}

async function mayStart(sql: Sql, batch: string): Promise<boolean> {
  const [row] = await sql.query<{ may: boolean }>('select fleet.may_start($1) as may', [batch])
  return row?.may === true
}
