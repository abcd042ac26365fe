import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { type Fleet, type Submission, submit } from '../src/index.ts'

const usual = { name: 'A test', priority: 0, weight: 1, pool: 'default', lease: 10, options: {} }

/** What tests of the tables do instead of people and workers. */
export function sceneOf(fleet: () => Fleet) {
  const sql = <Row extends object>(text: string, ...values: readonly unknown[]) =>
    fleet().engine.database.query<Row>(text, values)

  return {
    sql,
    /** A batch of so many executions. */
    async submitted(sets = 1, more: Partial<Submission> = {}): Promise<string> {
      const dir = await tempDir({ inMemory: true })
      const paths = Array.from({ length: sets }, (_, at) => join(dir, 'sets', `set-${at}`))
      for (const path of paths) {
        mkdirSync(path, { recursive: true })
        writeFileSync(join(path, 'a.txt'), path)
      }
      const hankFolder = join(dir, 'hank')
      mkdirSync(hankFolder)
      writeFileSync(join(hankFolder, 'hank.json'), '{}')
      const data = paths.map(path => ({ path }))
      return (await submit({ ...usual, hankFolder, data, ...more }, fleet())).batch
    },
    async worker(id: string): Promise<void> {
      await sql("select fleet.worker_up($1, 'h', 1, '0', '{default}', 8, 0)", id)
    },
    /** The worker was not heard of for longer than the lease. */
    async silence(id: string, seconds = 60): Promise<void> {
      await sql(
        "update fleet.worker set beat = clock_timestamp() - $2 * interval '1 second' where id = $1",
        id,
        seconds,
      )
    },
    async offered(pools = ['default']): Promise<readonly string[]> {
      const rows = await sql<{ id: string }>('select id from fleet.next_batches($1, $2, 100)', pools, [1])
      return rows.map(({ id }) => id)
    },
    /** One claim for this worker, of the batch that deserves it most or of one that is named; answers with the execution. */
    async claim(worker: string, batch?: string): Promise<string | undefined> {
      const { engine } = fleet()
      const [first] = await sql<{ id: string; pool: string; max_running: number | null }>(
        'select * from fleet.next_batches($1, $2, 100) where $3::text is null or id = $3',
        ['default'],
        [1],
        batch ?? null,
      )
      if (!first) return undefined
      return engine.database.transaction(async inside => {
        const [may] = await inside.query<{ may: boolean }>('select fleet.may_start($1) as may', [first.id])
        if (!may?.may) return undefined
        const [job] = await engine.queue.take(`f1.${first.pool}.${first.id}`, 1, inside)
        if (!job) return undefined
        await inside.query('select * from fleet.claim($1, $2, $3, 3)', [job.execution, worker, job.id])
        return job.execution
      })
    },
    async end(execution: string, state = 'succeeded', reason: string | null = null): Promise<void> {
      const { engine } = fleet()
      await engine.database.transaction(async inside => {
        const [row] = await inside.query<{ job: string; batch: string }>(
          'select job, batch, fleet.finish(id, epoch, $2, $3) from fleet.execution where id = $1',
          [execution, state, reason],
        )
        await engine.queue.done(`f1.default.${row?.batch}`, row?.job ?? '', inside)
      })
    },
    async counted(batch: string): Promise<unknown> {
      const [row] = await sql<{ kept: unknown; true: unknown }>(
        `select (select jsonb_object_agg(state, n) from fleet.batch_count where batch = $1 and n <> 0) as kept,
           (select jsonb_object_agg(state, n) from (select state, count(*) as n from fleet.execution where batch = $1 group by 1) c) as true`,
        batch,
      )
      return row
    },
  }
}
