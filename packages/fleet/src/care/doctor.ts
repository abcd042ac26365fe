import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { FleetFault } from '../fault.ts'
import type { Fleet } from '../fleet.ts'
import { listWorkers } from '../view/index.ts'

export interface Finding {
  readonly name: string
  readonly verdict: 'good' | 'poor' | 'bad'
  readonly detail: string
  readonly cure?: string | undefined
}

const oldestMajor = 13
const connectionsPerWorker = 3
const connectionsToSpare = 10
const poorSkewMs = 5_000

/** One finding for each thing that a fleet needs, with the cure for what is missing. */
export async function examineFleet(fleet: Fleet): Promise<readonly Finding[]> {
  return [
    await engineFinding(fleet),
    await connectionsFinding(fleet),
    await clockFinding(fleet),
    await storeFinding(fleet),
    rootFinding(fleet.root),
    ...(await workerFindings(fleet)),
  ]
}

async function engineFinding({ engine }: Fleet): Promise<Finding> {
  const [row] = await engine.database.query<{ server_version: string }>('show server_version')
  const version = row?.server_version ?? '?'
  const whose = engine.isEmbedded ? 'of your own' : 'that is shared'
  const isNew = Number.parseInt(version, 10) >= oldestMajor
  return {
    name: 'engine',
    verdict: isNew ? 'good' : 'bad',
    detail: `PostgreSQL ${version}, ${whose}`,
    ...(!isNew && { cure: `Use PostgreSQL ${oldestMajor} or newer.` }),
  }
}

async function connectionsFinding({ engine }: Fleet): Promise<Finding> {
  const [row] = await engine.database.query<{ most: number; used: number; workers: number }>(
    `select current_setting('max_connections')::int as most, (select count(*)::int from pg_stat_activity) as used,
       (select count(*)::int from fleet.worker where beat > clock_timestamp() - fleet.lease()) as workers`,
  )
  const { most = 0, used = 0, workers = 0 } = row ?? {}
  const needed = connectionsPerWorker * workers + connectionsToSpare
  const detail = `${used} of ${most} connections; ${workers} workers need ${needed}`
  if (most >= needed) return { name: 'connections', verdict: 'good', detail }
  const cure = `Raise max_connections to ${needed}, or put pgbouncer before it.`
  return { name: 'connections', verdict: 'bad', detail, cure }
}

/** Nothing depends on it; but people compare times. */
async function clockFinding({ engine }: Fleet): Promise<Finding> {
  const sent = Date.now()
  const [row] = await engine.database.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float as now',
  )
  const skew = Math.round((sent + Date.now()) / 2 - (row?.now ?? sent))
  const detail = `${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead of'} that of the engine`
  if (Math.abs(skew) < poorSkewMs) return { name: 'clock', verdict: 'good', detail }
  return { name: 'clock', verdict: 'poor', detail, cure: 'Let a time service set the clock of this machine.' }
}

async function storeFinding({ store }: Fleet): Promise<Finding> {
  const name = 'store'
  const bytes = Buffer.from('weave fleet doctor')
  try {
    const began = performance.now()
    const back = await store.get(await store.put(bytes))
    const took = Math.round(performance.now() - began)
    if (!back.equals(bytes)) throw new Error('it gives back something else')
    return { name, verdict: 'good', detail: `${store.url}: written and read in ${took} ms` }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const cure = error instanceof FleetFault ? error.cure : 'See to the store, or to WEAVE_FLEET_STORE.'
    return { name, verdict: 'bad', detail: detail.replace(/\.$/, ''), cure }
  }
}

/** Where executions lie on this machine: nobody else's, and on a local disk. */
function rootFinding(root: string): Finding {
  const there = statSync(root, { throwIfNoEntry: false })
  const own = process.getuid?.()
  if (there && (!there.isDirectory() || (own !== undefined && there.uid !== own)))
    return {
      name: 'root',
      verdict: 'bad',
      detail: `${root} is not ours`,
      cure: `Remove ${root}, or use another user.`,
    }
  if (!canWrite(there ? root : nearest(root)))
    return { name: 'root', verdict: 'bad', detail: `${root} cannot be written`, cure: 'See to its rights.' }
  return { name: 'root', verdict: 'good', detail: there ? root : `${root}, which the first worker makes` }
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path))
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

async function workerFindings({ engine }: Fleet): Promise<readonly Finding[]> {
  const workers = await listWorkers(engine)
  return workers.flatMap(({ id, state, silence, skewMs }): readonly Finding[] => {
    const name = `worker ${id}`
    if (state === 'silent')
      return [
        {
          name,
          verdict: 'poor',
          detail: `silent for ${Math.round(silence)} s; what it had is taken over`,
          cure: '"weave fleet gc" forgets it after ten leases.',
        },
      ]
    if (Math.abs(skewMs ?? 0) < poorSkewMs) return []
    const cure = 'Let a time service set the clock of its machine.'
    return [{ name, verdict: 'poor', detail: `its clock is off by ${skewMs} ms`, cure }]
  })
}
