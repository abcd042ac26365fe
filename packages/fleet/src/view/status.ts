import type { Engine } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'

export interface BatchStatus {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly created: string
  /** How many executions are in each state. */
  readonly counts: Readonly<Record<string, number>>
  readonly codonsDone: number
}

export interface ExecutionStatus {
  readonly id: string
  readonly n: number
  readonly name: string
  readonly state: string
  readonly reason: string | null
  readonly epoch: number
  readonly worker: string | null
  readonly headSeq: number
  readonly codonsDone: number
}

/** All batches, newest first. */
export async function listBatches({ database }: Engine): Promise<readonly BatchStatus[]> {
  return database.query<BatchStatus>(`
    select b.id, b.name, b.state, b.created::text as created,
      coalesce(jsonb_object_agg(counted.state, counted.n) filter (where counted.state is not null), '{}') as counts,
      coalesce(sum(counted.codons), 0)::int as "codonsDone"
    from fleet.batch b
    left join lateral (
      select e.state, count(*)::int as n, sum(e.codons_done)::int as codons
      from fleet.execution e where e.batch = b.id group by e.state
    ) counted on true
    group by b.id order by b.created desc`)
}

export async function batchStatus(engine: Engine, batch: string): Promise<BatchStatus> {
  const found = (await listBatches(engine)).find(({ id }) => id === batch)
  if (found) return found
  throw unknown(batch)
}

export function unknown(batch: string): FleetFault {
  return new FleetFault('FLEET_UNKNOWN', {
    message: `There is no batch ${batch}.`,
    cure: '"weave fleet status" lists them.',
  })
}

export async function executionsOf({ database }: Engine, batch: string): Promise<readonly ExecutionStatus[]> {
  return database.query<ExecutionStatus>(
    `select id, n, name, state, reason, epoch::int as epoch, worker, head_seq::int as "headSeq",
       codons_done as "codonsDone" from fleet.execution where batch = $1 order by n`,
    [batch],
  )
}

/** Ends what is queued now and what runs at its next border, or at once. Answers how many that concerns; throws for a name that nobody has. */
export async function cancelBatch(
  { database }: Engine,
  { batch, now }: { readonly batch: string; readonly now: boolean },
): Promise<number> {
  const rows = await database.query<{ id: string }>(
    `update fleet.execution set cancel = $2,
       state = case state when 'queued' then 'cancelled' when 'waiting' then 'cancelled' else state end,
       reason = 'cancelled',
       ended = case state when 'running' then null else clock_timestamp() end
     where (batch = $1 or id = $1) and state in ('queued', 'running', 'waiting') returning id`,
    [batch, now ? 'now' : 'border'],
  )
  if (rows.length > 0) return rows.length
  const known = await database.query('select 1 from fleet.execution where batch = $1 or id = $1 limit 1', [
    batch,
  ])
  if (known.length === 0) throw unknown(batch)
  return 0
}
