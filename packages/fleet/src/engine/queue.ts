import { PgBoss } from 'pg-boss'
import type { Database, Sql } from './database.ts'

/** One turn that may be taken. */
export interface Job {
  readonly id: string
  readonly execution: string
}

export interface NewJob {
  readonly execution: string
  /** Those with more come first. */
  readonly priority: number
}

/** The queue of turns, one per batch. A job's data is the id of an execution and nothing else. */
export interface Queue {
  open(batch: string, lease: number): Promise<void>
  /** Within the transaction that writes the rows. */
  add(batch: string, jobs: readonly NewJob[], sql: Sql): Promise<void>
  take(batch: string, most: number, sql: Sql): Promise<readonly Job[]>
  keep(batch: string, jobs: readonly string[]): Promise<void>
  done(batch: string, job: string, sql: Sql): Promise<void>
  /** Its turn died; somebody else may try at once. */
  failed(batch: string, job: string, sql: Sql): Promise<void>
  /** With all that is in it. */
  drop(batch: string): Promise<void>
  close(): Promise<void>
}

/** How many turns of an execution may die: what is poison, the table of executions says. */
const deaths = 1_000
const longestTurnSeconds = 24 * 3_600 - 60
/** A pass over silent jobs; of all workers one does it. */
const passSeconds = 2

export async function openQueue(database: Database, { works }: { readonly works: boolean }): Promise<Queue> {
  const boss = new PgBoss({
    db: executes(database),
    schema: 'pgboss',
    schedule: false,
    supervise: works,
    superviseIntervalSeconds: passSeconds,
    monitorIntervalSeconds: passSeconds,
  })
  // A pass that fails is repeated by the next one.
  boss.on('error', () => undefined)
  await boss.start()
  const opened = new Set<string>()
  const ready = async (batch: string): Promise<string> => {
    if (!opened.has(batch)) await boss.getQueue(batch)
    opened.add(batch)
    return batch
  }
  return {
    async open(batch, lease) {
      await boss.createQueue(batch, {
        policy: 'exclusive',
        heartbeatSeconds: lease,
        retryLimit: deaths,
        expireInSeconds: longestTurnSeconds,
        deleteAfterSeconds: 3_600,
        retentionSeconds: 365 * 24 * 3_600,
      })
    },
    async add(batch, wishes, sql) {
      if (wishes.length === 0) return
      const jobs = wishes.map(({ execution, priority }) => ({
        data: { execution },
        singletonKey: execution,
        priority,
      }))
      await boss.insert(await ready(batch), jobs, { db: executes(sql) })
    },
    async take(batch, most, sql) {
      const jobs = await boss.fetch<{ execution: string }>(await ready(batch), {
        batchSize: most,
        db: executes(sql),
      })
      return jobs.map(({ id, data }) => ({ id, execution: data.execution }))
    },
    async keep(batch, jobs) {
      if (jobs.length > 0) await boss.touch(batch, [...jobs])
    },
    async done(batch, job, sql) {
      await boss.complete(batch, job, null, { db: executes(sql) })
    },
    async failed(batch, job, sql) {
      await boss.fail(batch, job, null, { db: executes(sql) })
    },
    async drop(batch) {
      await boss.deleteQueue(batch)
    },
    async close() {
      await boss.stop({ graceful: false, close: false })
    },
  }
}

function executes(sql: Sql) {
  return {
    async executeSql(text: string, values?: unknown[]) {
      return { rows: [...(await sql.query(text, values))] }
    },
  }
}
