import type { Sql } from '../engine/database.ts'
import type { Engine } from '../engine/index.ts'
import type { NewJob } from '../engine/queue.ts'
import { FleetFault } from '../fault.ts'
import { queueNameOf } from '../sql/queue-name.ts'

/** Of one batch, in millionths of a dollar. */
export interface BatchMoney {
  /** Null: there is no ceiling. */
  readonly budget: number | null
  /** Lent to turns that run. */
  readonly granted: number
  readonly spent: number
  /** What turns had that ended without a word: it may be spent or not. */
  readonly doubt: number
  readonly deaths: number
}

export async function batchMoney({ database }: Engine, batch: string): Promise<BatchMoney> {
  const [row] = await database.query<BatchMoney>(
    `select b.budget::float8 as budget, b.granted::float8 as granted, b.spent::float8 as spent, b.doubt::float8 as doubt,
       (select count(*)::int from fleet.event v where v.batch = b.id and v.type = 'written-off') as deaths
     from fleet.batch b where b.id = $1`,
    [batch],
  )
  if (!row) throw unknownBatch(batch)
  return row
}

/** Another ceiling. What waited for money is queued again as far as there is some now; answers how many. */
export async function setBudget(
  { database, queue }: Engine,
  wish: { readonly batch: string; readonly micros: number; readonly by?: string | undefined },
): Promise<number> {
  return database.transaction(async sql => {
    const [row] = await sql.query<{ pool: string }>('select pool from fleet.batch where id = $1 for update', [
      wish.batch,
    ])
    if (!row) throw unknownBatch(wish.batch)
    try {
      await sql.query('select fleet.set_budget($1, $2, $3)', [wish.batch, wish.micros, wish.by ?? null])
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('batch_within_budget'))) throw error
      throw new FleetFault('FLEET_BUDGET', {
        message: `More than that is spent, lent to turns that run, or in doubt in ${wish.batch}.`,
        cure: `"weave fleet status ${wish.batch}" says how much.`,
      })
    }
    return wakeAll({ queue, sql }, wish.batch, row.pool)
  })
}

/** Queues what waited for money, as far as there is some. */
async function wakeAll(
  { queue, sql }: Pick<Engine, 'queue'> & { readonly sql: Sql },
  batch: string,
  pool: string,
): Promise<number> {
  const woken = await sql.query<NewJob>('select * from fleet.wake($1)', [batch])
  await queue.add(queueNameOf(batch, pool), woken, sql)
  return woken.length
}

/** What was in doubt of an execution cost this, as its bill says. */
export async function settleDoubt(
  { database, queue }: Engine,
  wish: { readonly execution: string; readonly micros: number; readonly by?: string | undefined },
): Promise<void> {
  await database.transaction(async sql => {
    const [row] = await sql.query<{ done: boolean }>('select fleet.settle_doubt($1, $2, $3) as done', [
      wish.execution,
      wish.micros,
      wish.by ?? null,
    ])
    if (!row?.done)
      throw new FleetFault('FLEET_BUDGET', {
        message: `Not so much is in doubt of ${wish.execution}, or there is no such execution.`,
        cure: '"weave fleet status <batch>" says how much of a batch is in doubt.',
      })
    const [of] = await sql.query<{ batch: string; pool: string }>(
      'select b.id as batch, b.pool from fleet.batch b join fleet.execution e on e.batch = b.id where e.id = $1',
      [wish.execution],
    )
    if (of) await wakeAll({ queue, sql }, of.batch, of.pool)
  })
}

function unknownBatch(batch: string): FleetFault {
  return new FleetFault('FLEET_UNKNOWN', {
    message: `There is no batch ${batch}.`,
    cure: '"weave fleet status" lists them.',
  })
}
