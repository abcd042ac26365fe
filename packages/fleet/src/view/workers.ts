import type { Tables } from '../engine/index.ts'
import { timeText } from './status.ts'

export interface WorkerStatus {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly pools: readonly string[]
  /** Whom its agents can ask; null: it did not say. */
  readonly providers: readonly string[] | null
  readonly slots: number
  readonly busy: number
  /** `silent`: it was not heard of for a whole lease, and what it had is taken over. */
  readonly state: 'working' | 'draining' | 'silent'
  readonly started: string
  /** Seconds since it was heard of. */
  readonly silence: number
  /** How far its clock is ahead of the engine's. */
  readonly skewMs: number | null
}

export async function listWorkers({ database }: Tables): Promise<readonly WorkerStatus[]> {
  return database.query<WorkerStatus>(
    `select w.id, w.host, w.pid, w.version, w.pools, w.providers, w.slots,
       (select count(*)::int from fleet.execution e where e.worker = w.id and e.state = 'running') as busy,
       case when w.beat < clock_timestamp() - fleet.lease() then 'silent' when w.drain then 'draining' else 'working' end as state,
       ${timeText('w.started')} as started, extract(epoch from clock_timestamp() - w.beat)::float as silence,
       w.skew_ms::float as "skewMs"
     from fleet.worker w order by w.host, w.started`,
  )
}
