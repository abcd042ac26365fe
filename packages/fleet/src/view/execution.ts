import type { Tables } from '../engine/index.ts'
import type { CodonCosts, NamedTree, StoredTree } from '../turn/index.ts'
import { type FleetEvent, listEvents } from './events.ts'
import { type ExecutionStatus, executionColumns, timeText, unknown } from './status.ts'

/** One published state of an execution. */
export interface HeadRow {
  readonly seq: number
  readonly epoch: number
  readonly worker: string
  readonly codon: string | null
  readonly bytes: number
  readonly at: string
}

export type CostRow = CodonCosts

/** Everything that a page about one execution says. */
export interface ExecutionDetail extends ExecutionStatus {
  readonly batch: string
  readonly barren: number
  readonly cancel: string | null
  readonly data: StoredTree | NamedTree | null
  readonly heads: readonly HeadRow[]
  readonly costs: readonly CostRow[]
  readonly events: readonly FleetEvent[]
}

const lastEvents = 20

export async function showExecution(tables: Tables, id: string): Promise<ExecutionDetail> {
  const { database } = tables
  const [found] = await database.query<Omit<ExecutionDetail, 'heads' | 'costs' | 'events'>>(
    `select ${executionColumns}, e.batch, e.barren, e.cancel, e.data from fleet.execution e where e.id = $1`,
    [id],
  )
  if (!found) throw unknown('execution', id)
  const heads = await database.query<HeadRow>(
    `select seq::int, epoch::int, worker, codon, bytes::float as bytes, ${timeText('at')} as at
     from fleet.head where execution = $1 order by seq`,
    [id],
  )
  const events = await listEvents(tables, { target: id, most: lastEvents })
  return { ...found, heads, costs: await costsOf(tables, id), events }
}

const costColumns = `c.model, sum(c.attempts)::int as attempts, sum(c.tokens_in)::float as "in", sum(c.tokens_out)::float as "out",
  sum(c.tokens_cache_write)::float as "cacheWrite", sum(c.tokens_cache_read)::float as "cacheRead",
  sum(c.dollars) as dollars, bool_and(c.is_known) as "isKnown"`

/** By codon and model, of one execution or of all of a batch; iterations of a loop together. */
export async function costsOf({ database }: Tables, target: string): Promise<readonly CostRow[]> {
  return database.query<CostRow>(
    `select split_part(c.codon, '#', 1) as codon, ${costColumns}
     from fleet.cost c join fleet.execution e on e.id = c.execution where e.id = $1 or e.batch = $1
     group by 1, c.model order by sum(c.dollars) desc, 1, c.model`,
    [target],
  )
}
