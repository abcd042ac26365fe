import type { Engine } from '../engine/index.ts'
import { queueNameOf } from '../sql/queue-name.ts'
import type { GateAnswer } from '../turn/index.ts'
import { assertKnown, unknown } from '../view/status.ts'

interface Order {
  /** A batch, or one of its executions. */
  readonly target: string
  /** Who wants it, for the record. */
  readonly by: string
}

/** Ends what is queued or waiting now, and what runs at its next border or at once. Answers how many that concerns. */
export async function cancel(engine: Engine, { target, by, now }: Order & { readonly now: boolean }) {
  await assertKnown(engine, target)
  const [row] = await engine.database.query<{ hit: string }>('select fleet.cancel($1, $2, $3) as hit', [
    target,
    now ? 'now' : 'border',
    by,
  ])
  return Number(row?.hit ?? 0)
}

interface Retried {
  readonly id: string
  readonly batch: string
  readonly pool: string
  readonly priority: number
}

/** Queues again what ended in one of these states; it goes on from its head. Answers how many. */
export async function retry(
  engine: Engine,
  { target, by, states }: Order & { readonly states: readonly string[] },
): Promise<number> {
  await assertKnown(engine, target)
  return engine.database.transaction(async sql => {
    const rows = await sql.query<Retried>('select * from fleet.retry($1, $2, $3)', [target, states, by])
    for (const { id, batch, pool, priority } of rows)
      await engine.queue.add(queueNameOf(batch, pool), [{ execution: id, priority }], sql)
    return rows.length
  })
}

/** Answers at the gate where an execution waits, and queues it. False: it waits at no gate. */
export async function decide(
  engine: Engine,
  { target, by, answer }: Order & { readonly answer: GateAnswer },
): Promise<boolean> {
  await assertKnown(engine, target)
  return engine.database.transaction(async sql => {
    const text = JSON.stringify(answer)
    const rows = await sql.query<Retried>('select * from fleet.decide($1, $2, $3)', [target, text, by])
    for (const { id, batch, pool, priority } of rows)
      await engine.queue.add(queueNameOf(batch, pool), [{ execution: id, priority }], sql)
    return rows.length > 0
  })
}

/** False: it is paused already, or closed. */
export async function pause(
  engine: Engine,
  { target, by, why }: Order & { readonly why?: string | undefined },
) {
  return ask(engine, target, ['select fleet.pause($1, $2, $3) as done', [target, why ?? 'by a person', by]])
}

/** False: it is not paused. Ends so far do not count for its breaker any more. */
export async function resume(engine: Engine, { target, by }: Order) {
  return ask(engine, target, ['select fleet.resume($1, $2) as done', [target, by]])
}

async function ask(
  { database }: Engine,
  batch: string,
  [text, values]: readonly [string, readonly unknown[]],
): Promise<boolean> {
  const known = await database.query('select 1 from fleet.batch where id = $1', [batch])
  if (known.length === 0) throw unknown('batch', batch)
  const [row] = await database.query<{ done: boolean }>(text, values)
  return row?.done === true
}

/** A worker, or all of them, take nothing more and end. Answers with those that were told. */
export async function drain(
  { database }: Engine,
  { worker, now, by }: { readonly worker: string | undefined; readonly now: boolean; readonly by: string },
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>('select fleet.drain($1, $2, $3) as id', [
    worker ?? null,
    now,
    by,
  ])
  if (rows.length === 0 && worker !== undefined) throw unknown('worker', worker)
  return rows.map(({ id }) => id)
}
