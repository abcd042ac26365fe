import type { Sql } from '../engine/database.ts'
import type { NewJob } from '../engine/queue.ts'
import { createPurse, type Purse } from '../money/index.ts'

export interface TurnMoney {
  readonly purse: Purse
  /** Why the turn was ended for want of money; undefined: it was not. */
  readonly lack: string | undefined
  /** Before a codon: whether there is what its next request takes at least. Waits for it, until `isOver` says that nobody wants it any more. */
  ready(isOver: () => boolean): Promise<boolean>
  /** In the transaction that moves the head; the purse is told when that is certain. */
  account(sql: Sql, micros: number): Promise<void>
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
  /** How long a codon waits for money before it begins. */
  readonly parkMs?: number | undefined
  /** What it lacked last time. */
  readonly wants?: string | null | undefined
  /** There is none right now. */
  readonly onWait?: (() => void) | undefined
  readonly onEmpty: (why: string) => void
  readonly onLost: () => void
}

/** Others may give some back meanwhile. */
const longestHoldMs = 60_000

/** The money of one turn, as the tables of the engine lend it. */
export async function openTurnMoney(
  { database }: { readonly database: Sql },
  { id, batch, epoch, onEmpty, onLost, ...wish }: TurnMoneyWish,
): Promise<TurnMoney> {
  const [row] = await database.query<{ has: boolean }>('select fleet.has_ceiling($1) as has', [batch])
  const { holdMs = longestHoldMs, parkMs = 0, wants, onWait = () => undefined } = wish
  let lack: string | undefined
  const empty = (): string => {
    lack ??= `budget: the ceiling of batch ${batch} leaves too little for the next request`
    return lack
  }
  const purse = createPurse({
    hasCeiling: row?.has ?? false,
    holdMs,
    onWait,
    async grant({ need, want, has }) {
      const [granted] = await database.query<{ micros: string }>(
        'select fleet.grant_money($1, $2, $3, $4, $5) as micros',
        [id, epoch, need, want, has],
      )
      return Number(granted?.micros ?? 0)
    },
    onEmpty() {
      onEmpty(`fleet batch ${batch}: ${empty()}`)
    },
    onLost,
  })
  return {
    purse,
    get lack() {
      return lack
    },
    async ready(isOver) {
      const found = await purse.fund({ least: Number(wants ?? 0), longestMs: parkMs, isOver })
      if (found === 'empty') empty()
      return found === 'enough'
    },
    async account(sql, micros) {
      await sql.query('select fleet.account($1, $2, $3)', [id, epoch, micros])
    },
    async settle(sql) {
      await sql.query('select fleet.settle($1, $2, $3)', [id, epoch, purse.spent()])
    },
    async wake(sql) {
      return sql.query<NewJob>('select * from fleet.wake($1)', [batch])
    },
  }
}
