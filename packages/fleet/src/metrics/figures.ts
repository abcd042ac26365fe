import { type Clock, systemClock, within } from '@weave/runtime'
import type { Sql } from '../engine/index.ts'

/** How a whole fleet stands, in numbers; the same whichever worker asks. */
export interface FleetFigures {
  /** How many executions are in each state, of batches that are not closed. */
  readonly executions: Readonly<Record<string, number>>
  /** How long the execution waits that was queued first, of those that could be taken; 0: none waits. */
  readonly queueAgeSeconds: number
  readonly grantedDollars: number
  readonly spentDollars: number
  readonly doubtDollars: number
  readonly providers: readonly ProviderFigures[]
}

interface ProviderFigures {
  /** A provider, or one of its models. */
  readonly key: string
  readonly refusals: number
  readonly blockedSeconds: number
}

async function readFigures(sql: Sql): Promise<FleetFigures> {
  const [row] = await sql.query<{ figures: FleetFigures }>('select fleet.figures() as figures')
  if (!row) throw new Error('the engine said nothing')
  return row.figures
}

/** However often somebody asks, the engine is asked once in so long, and once at a time. */
const restMs = 5_000
/** Who scrapes does not wait for an engine that hangs. */
const longestWaitMs = 2_000

/** Undefined: the engine is away, or does not answer in time. */
export function createFigureReader(
  sql: Sql,
  clock: Clock = systemClock,
): () => Promise<FleetFigures | undefined> {
  let asked: { readonly at: number; readonly answer: Promise<FleetFigures | undefined> } | undefined
  let isUnderWay = false
  return () => {
    const isOld = !asked || clock.monotonic() - asked.at > restMs
    if (isOld && !isUnderWay) {
      isUnderWay = true
      const answer = readFigures(sql)
        .catch(() => undefined)
        .finally(() => {
          isUnderWay = false
        })
      asked = { at: clock.monotonic(), answer }
    }
    const answer = asked?.answer ?? Promise.resolve(undefined)
    return within(
      { clock, ms: longestWaitMs },
      () => answer,
      () => undefined,
    )
  }
}
