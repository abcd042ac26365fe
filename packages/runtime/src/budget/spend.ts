import type { CodonExecution, RunState, TokenCounts } from '@weave/protocol'
import { activeMs, type TimeNotes } from './active-time.ts'

/** What was used up. */
export interface Spend {
  /** The known part, when `costUnknown`. */
  readonly dollars: number
  readonly costUnknown: boolean
  /** In which a codon was at work. */
  readonly seconds: number
  readonly tokens: TokenCounts
}

const noTokens: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

export const noSpend: Spend = { dollars: 0, costUnknown: false, seconds: 0, tokens: noTokens }

/** What one attempt used, without its sentinels. */
export function spendOf(record: CodonExecution, run: RunState, notes: TimeNotes): Spend {
  return {
    dollars: record.cost,
    costUnknown: record.costUnknown === true,
    seconds: secondsOf(record, run, notes),
    tokens: record.tokens,
  }
}

export function sentinelSpend({ sentinels = [] }: CodonExecution): Spend {
  return {
    ...noSpend,
    dollars: sentinels.reduce((sum, { cost }) => sum + cost, 0),
    costUnknown: sentinels.some(({ costUnknown }) => costUnknown === true),
  }
}

export function plus(left: Spend, right: Spend): Spend {
  return {
    dollars: left.dollars + right.dollars,
    costUnknown: left.costUnknown || right.costUnknown,
    seconds: left.seconds + right.seconds,
    tokens: {
      inputTokens: left.tokens.inputTokens + right.tokens.inputTokens,
      outputTokens: left.tokens.outputTokens + right.tokens.outputTokens,
      cacheCreationTokens: left.tokens.cacheCreationTokens + right.tokens.cacheCreationTokens,
      cacheReadTokens: left.tokens.cacheReadTokens + right.tokens.cacheReadTokens,
    },
  }
}

function secondsOf(record: CodonExecution, run: RunState, notes: TimeNotes): number {
  const from = Date.parse(record.startTime)
  return activeMs({ from, until: endOf(record, run, notes) ?? from }, notes.parked ?? []) / 1000
}

/** Until when a codon is known to have worked, in milliseconds since 1970. */
function endOf(record: CodonExecution, run: RunState, { now, lastActivity }: TimeNotes): number | undefined {
  if (!('endTime' in record)) return now
  const end = Date.parse(record.endTime)
  if (!wasCutOff(record, run)) return end
  const seen = lastActivity?.get(run.runId)
  return seen === undefined ? undefined : Math.min(Date.parse(seen), end)
}

/** A crash ends its codon at the moment in which somebody noticed, which may be days later. */
function wasCutOff(record: CodonExecution & { readonly endTime: string }, run: RunState): boolean {
  return run.status === 'crashed' && record === run.codons.at(-1) && record.endTime === run.endTime
}
