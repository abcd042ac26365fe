import type { Sql } from '../engine/index.ts'

/** A batch that its breaker paused. */
export interface PausedBatch {
  readonly batch: string
  readonly name: string
  /** The same whoever tells it. */
  readonly id: string
  /** How many of its last ends failed alike. */
  readonly failed: number
  readonly at: string
}

export type Tell = (paused: PausedBatch) => Promise<boolean>

export interface Notices {
  /** There may be something to tell. */
  see(): void
  /** Settles when nothing is being told. Never rejects. */
  done(): Promise<void>
}

/**
 * One worker of the fleet has each notice, so that people are told once. When it dies before it has told them, or none of them
 * could be reached, whoever has it next tries again.
 */
export function createNotices(sql: Sql, tell: Tell): Notices {
  let telling: Promise<void> | undefined
  const tellAll = async (): Promise<void> => {
    for (;;) {
      const [row] = await sql.query<{
        batch: string
        name: string
        notice: Omit<PausedBatch, 'batch' | 'name'>
      }>('select * from fleet.take_notice()')
      if (!row) return
      const { batch, name, notice } = row
      if (await tell({ ...notice, batch, name }))
        await sql.query('select fleet.notice_told($1, $2)', [batch, notice.id])
    }
  }
  return {
    see() {
      telling ??= tellAll()
        .catch(() => undefined)
        .finally(() => {
          telling = undefined
        })
    },
    done: async () => telling,
  }
}
