import type { Tables } from '../engine/index.ts'
import { timeText } from './status.ts'

/** A row of what happened in a fleet. */
export interface FleetEvent {
  readonly id: number
  readonly at: string
  readonly batch: string | null
  readonly execution: string | null
  readonly epoch: number | null
  readonly worker: string | null
  readonly type: string
  readonly data: Readonly<Record<string, unknown>> | null
}

export interface EventWish {
  /** A batch, with all its executions; or an execution, with what was ordered for its whole batch. */
  readonly target: string
  /** Only those after this one. */
  readonly after?: number | undefined
  readonly most: number
}

/** The newest that fit, oldest first. */
export async function listEvents(
  { database }: Tables,
  { target, after = 0, most }: EventWish,
): Promise<readonly FleetEvent[]> {
  return database.query<FleetEvent>(
    `select * from (
       select v.id::float as id, ${timeText('v.at')} as at, v.batch, v.execution, v.epoch::int as epoch, v.worker, v.type, v.data
       from fleet.event v
       where v.id > $2 and (v.batch = $1 or v.execution = $1
         or (v.execution is null and v.batch = (select e.batch from fleet.execution e where e.id = $1)))
       order by v.id desc limit $3
     ) newest order by id`,
    [target, after, most],
  )
}
