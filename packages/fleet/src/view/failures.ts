import type { Tables } from '../engine/index.ts'

/** Executions of a batch that ended in one way for one reason. */
export interface FailureGroup {
  readonly state: string
  readonly reason: string
  readonly count: number
  /** The first of them, or all. */
  readonly executions: readonly string[]
}

export interface FailureWish {
  readonly batch: string
  /** How many groups at most. */
  readonly groups?: number
  /** How many executions of each at most. */
  readonly examples?: number
}

const all = 2_147_483_647

/** The most common reason first. */
export async function failuresOf(
  { database }: Tables,
  { batch, groups = all, examples = all }: FailureWish,
): Promise<readonly FailureGroup[]> {
  return database.query<FailureGroup>(
    `select e.state, coalesce(e.reason, 'no reason was given') as reason, count(*)::int as count,
       (array_agg(e.id order by e.n))[1:$3] as executions
     from fleet.execution e where e.batch = $1 and e.state in ('failed', 'dead', 'cancelled')
     group by 1, 2 order by 3 desc, min(e.n) limit $2`,
    [batch, groups, examples],
  )
}
