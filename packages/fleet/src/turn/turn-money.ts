import type { Sql } from '../engine/database.ts'
import type { NewJob } from '../engine/queue.ts'
import { createPurse, type Purse } from '../money/index.ts'

export interface TurnMoney {
  readonly purse: Purse
  /** Why the turn was ended for want of money; undefined: it was not. */
  readonly lack: string | undefined
  /** To be called when nothing of the turn is under way any more: gives back what is left. */
  settle(sql: Sql): Promise<void>
  /** Executions of the batch that waited for money and may try again; who calls this queues them. */
  wake(sql: Sql): Promise<readonly NewJob[]>
}

export interface TurnMoneyWish {
  readonly id: string
  readonly batch: string
  readonly epoch: string
  /** How long a request is held while the batch has no money for it, when not as long as usual. */
  readonly holdMs?: number | undefined
  readonly onEmpty: (why: string) => void
  readonly onLost: () => void
}

/** Others may give some back meanwhile. */
const longestHoldMs = 60_000

/** The money of one turn, as the tables of the engine lend it. */
export async function openTurnMoney(
  { database }: { readonly database: Sql },
  { id, batch, epoch, onEmpty, onLost, holdMs = longestHoldMs }: TurnMoneyWish,
): Promise<TurnMoney> {
  const [row] = await database.query<{ has: boolean }>('select fleet.has_ceiling($1) as has', [batch])
  let lack: string | undefined
  const purse = createPurse({
    hasCeiling: row?.has ?? false,
    holdMs,
    async grant({ need, want, has }) {
      const [granted] = await database.query<{ micros: string }>(
        'select fleet.grant_money($1, $2, $3, $4, $5) as micros',
        [id, epoch, need, want, has],
      )
      return Number(granted?.micros ?? 0)
    },
    onEmpty() {
      lack ??= `budget: the ceiling of batch ${batch} leaves too little for the next request`
      onEmpty(`fleet batch ${batch}: ${lack}`)
    },
    onLost,
  })
  return {
    purse,
    get lack() {
      return lack
    },
    async settle(sql) {
      await sql.query('select fleet.settle($1, $2, $3)', [id, epoch, purse.spent()])
    },
    async wake(sql) {
      return sql.query<NewJob>('select * from fleet.wake($1)', [batch])
    },
  }
}
