import type { TokenCounts } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import { activeMs, type Stretch } from './active-time.ts'
import type { Ledger } from './ledger.ts'
import { type Exceeded, exceeded } from './may-start.ts'
import { isReached, type Meter, metersOf } from './meters.ts'

interface GuardOptions {
  readonly plan: Plan
  readonly at: PlannedCodonAt
  /** As it was when the attempt began; what the attempt itself uses is reported to the guard. */
  readonly ledger: Ledger
  readonly clock: Clock
}

/** What an attempt has used until now. */
export interface AttemptUse {
  /** Dollars of all messages; the known part, when some price is not known. */
  readonly cost: number
  /** Of all messages. */
  readonly tokens: TokenCounts
  /** Of the message that is reported. */
  readonly turn: TokenCounts
}

export type BudgetGuard = ReturnType<typeof createBudgetGuard>

/**
 * Watches over the budgets of one attempt, from its first moment, the rig included. Each function checks every limit
 * and answers with the first one that is reached; having answered once, the guard is silent.
 */
export function createBudgetGuard({ plan, at, ledger, clock }: GuardOptions) {
  const began = clock.monotonic()
  const waits: Stretch[] = []
  let meters = metersOf(plan, ledger, at)
  let attempt = { dollars: 0, outputTokens: 0, contextTokens: 0 }
  let hasAnswered = false

  const use = {
    dollars: () => attempt.dollars,
    seconds: () => activeMs({ from: began, until: clock.monotonic() }, waits) / 1000,
    'output-tokens': () => attempt.outputTokens,
    'context-tokens': () => attempt.contextTokens,
  }

  const read = (meter: Meter) => ({ meter, used: meter.used + use[meter.currency]() })

  const check = (): Exceeded | undefined => {
    if (hasAnswered) return undefined
    const reached = meters.map(read).find(({ meter, used }) => isReached(used, meter.limit))
    hasAnswered = reached !== undefined
    return reached && exceeded(plan, at, reached)
  }

  return {
    /** Whether any of the limits is one in dollars. */
    limitsDollars: meters.some(({ currency }) => currency === 'dollars'),
    /** At every usage report. */
    usage({ cost, tokens, turn }: AttemptUse): Exceeded | undefined {
      attempt = { dollars: cost, outputTokens: tokens.outputTokens, contextTokens: contextOf(turn) }
      return check()
    },
    /** What the sentinels of this attempt have cost in all. Counts against the dollars of the hank alone. */
    sentinels(dollars: number): Exceeded | undefined {
      const sentinelDollars = ledger.sentinelDollars + dollars
      meters = metersOf(plan, { ...ledger, sentinelDollars }, at)
      return check()
    },
    /** The attempt waits so long because a provider said so; that time does not count. */
    parked(ms: number): void {
      const from = clock.monotonic()
      waits.push({ from, until: from + ms })
    },
    /** Every second. */
    tick: check,
  }
}

/** All that the model saw and wrote in one turn, from a cache or not. */
function contextOf({ inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }: TokenCounts): number {
  return inputTokens + outputTokens + cacheCreationTokens + cacheReadTokens
}
