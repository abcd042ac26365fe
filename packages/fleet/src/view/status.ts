import type { Tables } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'
import type { LeftBehind } from '../parcel/index.ts'

export type ExecutionState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'waiting' | 'dead'

export interface BatchStatus {
  readonly id: string
  readonly name: string
  readonly state: 'open' | 'paused' | 'closed'
  readonly pauseReason: string | null
  readonly pool: string
  readonly priority: number
  readonly weight: number
  readonly maxRunning: number | null
  readonly notBefore: string | null
  readonly submittedBy: string | null
  readonly created: string
  /** Its agents ask a script, and its costs are simulated. */
  readonly isRehearsal: boolean
  /** How many executions are in each state. */
  readonly counts: Readonly<Partial<Record<ExecutionState, number>>>
}

/** What takes a look at every execution of a batch. */
export interface BatchDetail extends BatchStatus {
  readonly codonsDone: number
  /** As its journals say, up to the codon that was published last. */
  readonly dollars: number
  /** False: some of it has no known price, so it was more. */
  readonly isCostKnown: boolean
  /** As its journals or the books say, whichever is more: journals are ahead of the books while turns run, and know agents with a login of their own. */
  readonly spentDollars: number
  /** Lent to turns that run. */
  readonly lentDollars: number
  /** What turns had that ended without a word. */
  readonly doubtDollars: number
  /** Null: there is none. */
  readonly ceilingDollars: number | null
  /** Executions that ended in an hour, as fast as in the last one; null: none did. */
  readonly endsPerHour: number | null
  /** When the last one will end at that rate. */
  readonly forecast: string | null
  /** What those wait for that wait, and those that are queued when nobody can take them, with their number. */
  readonly waits: Readonly<Record<string, number>>
}

export interface ExecutionStatus {
  readonly id: string
  readonly n: number
  readonly name: string
  readonly state: ExecutionState
  readonly reason: string | null
  readonly epoch: number
  /** How many turns began. */
  readonly starts: number
  readonly worker: string | null
  readonly headSeq: number
  readonly codon: string | null
  readonly codonsDone: number
  readonly dollars: number
  /** The largest folders of its workspace that do not move with it. */
  readonly leftBehind: readonly LeftBehind[]
  readonly started: string | null
  readonly ended: string | null
}

/** A time as text that every program reads. */
export const timeText = (column: string): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const batchColumns = `b.id, b.name, b.state, b.pause_reason as "pauseReason", b.pool, b.priority, b.weight,
  b.max_running as "maxRunning", ${timeText('b.not_before')} as "notBefore", b.submitted_by as "submittedBy",
  ${timeText('b.created')} as created, coalesce((b.options ->> 'rehearse')::boolean, false) as "isRehearsal",
  coalesce((select jsonb_object_agg(c.state, c.n) from fleet.batch_count c where c.batch = b.id and c.n > 0), '{}') as counts`

/** All batches, newest first. */
export async function listBatches({ database }: Tables): Promise<readonly BatchStatus[]> {
  return database.query<BatchStatus>(`select ${batchColumns} from fleet.batch b order by b.created desc`)
}

const detailColumns = `coalesce(done.codons, 0)::int as "codonsDone", coalesce(cost.dollars, 0) as dollars,
  coalesce(cost.known, true) as "isCostKnown",
  greatest(coalesce(cost.dollars, 0), b.spent / 1e6::float8) as "spentDollars", b.granted / 1e6::float8 as "lentDollars",
  b.doubt / 1e6::float8 as "doubtDollars", b.budget / 1e6::float8 as "ceilingDollars", rate.per_hour as "endsPerHour",
  case when open.n > 0 and rate.per_hour > 0
    then ${timeText("(clock_timestamp() + open.n / rate.per_hour * interval '1 hour')")} end as forecast,
  coalesce((select jsonb_object_agg(w.reason, w.n) from (
    select coalesce(e.reason, '?') as reason, count(*)::int as n from fleet.execution e
    where e.batch = b.id and e.state = 'waiting' group by 1) w), '{}')
    || coalesce((select jsonb_object_agg(q.reason, q.n) from (
      select fleet.waits_for(b.id) as reason, c.n from fleet.batch_count c
      where c.batch = b.id and c.state = 'queued' and c.n > 0) q where q.reason is not null), '{}') as waits`

export async function batchStatus(tables: Tables, batch: string): Promise<BatchDetail> {
  const [found] = await detailsOf(tables, [batch])
  if (found) return found
  throw unknown('batch', batch)
}

/** Of those that there are, newest first. */
export async function detailsOf(
  { database }: Tables,
  batches: readonly string[],
): Promise<readonly BatchDetail[]> {
  return database.query<BatchDetail>(
    `select ${batchColumns}, ${detailColumns}
     from fleet.batch b
     cross join lateral (select sum(e.codons_done) as codons from fleet.execution e where e.batch = b.id) done
     cross join lateral (
       select sum(c.dollars) as dollars, bool_and(c.is_known) as known
       from fleet.cost c join fleet.execution e on e.id = c.execution where e.batch = b.id) cost
     cross join lateral (
       select coalesce(sum(c.n), 0)::float as n from fleet.batch_count c
       where c.batch = b.id and c.state in ('queued', 'running', 'waiting')) open
     left join lateral (
       -- Within the hour before now, or since the first one started when that was later; a minute at least.
       select count(*)::float / greatest(extract(epoch from clock_timestamp()
         - greatest(min(e.started), clock_timestamp() - interval '1 hour')), 60) * 3600 as per_hour
       from fleet.execution e
       where e.batch = b.id and e.ended > clock_timestamp() - interval '1 hour' and e.state in ('succeeded', 'failed', 'dead')
       having count(*) > 0) rate on true
     where b.id = any($1) order by b.created desc`,
    [batches],
  )
}

/** `weave fleet <word>` lists those that there are. */
const listedBy = { batch: 'list', execution: 'status <batch>', worker: 'workers' } as const

export function unknown(kind: keyof typeof listedBy, name: string): FleetFault {
  return new FleetFault('FLEET_UNKNOWN', {
    message: `There is no ${kind} ${name}.`,
    cure: `"weave fleet ${listedBy[kind]}" shows which there are.`,
  })
}

/** Throws for a name that no batch and no execution has. */
export async function assertKnown({ database }: Tables, target: string): Promise<void> {
  const known = await database.query(
    'select 1 from fleet.batch where id = $1 union all select 1 from fleet.execution where id = $1',
    [target],
  )
  if (known.length === 0) throw unknown(/\.\d+$/.test(target) ? 'execution' : 'batch', target)
}

export const executionColumns = `e.id, e.n, e.name, e.state, e.reason, e.epoch::int as epoch, e.starts, e.worker,
  e.head_seq::int as "headSeq", e.codon, e.codons_done as "codonsDone",
  coalesce((select sum(c.dollars) from fleet.cost c where c.execution = e.id), 0) as dollars,
  coalesce(e.head -> 'left', '[]') as "leftBehind",
  ${timeText('e.started')} as started, ${timeText('e.ended')} as ended`

export async function executionsOf({ database }: Tables, batch: string): Promise<readonly ExecutionStatus[]> {
  return database.query<ExecutionStatus>(
    `select ${executionColumns} from fleet.execution e where e.batch = $1 order by e.n`,
    [batch],
  )
}
