import type { TokenCounts } from '@weave/protocol'
import type { HarnessEvent } from '../harness/index.ts'

type Usage = HarnessEvent & { readonly type: 'usage' }

export interface Tally {
  readonly cost: number
  readonly tokens: TokenCounts
  /** Some message had no known price. */
  readonly costUnknown: boolean
  readonly messages: number
}

const nothing: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

/**
 * Adds up usage, each message once: a later report of the same message replaces the earlier one, so duplicated and
 * reordered reports change nothing. Takes the same time for the first message and the ten thousandth.
 */
export function createTally() {
  const reports = new Map<string, Usage>()
  let cost = 0
  let tokens = nothing
  let unpriced = 0

  const total = (): Tally => ({ cost, tokens, costUnknown: unpriced > 0, messages: reports.size })

  return {
    add(report: Usage): Tally {
      const known = reports.get(report.messageId)
      if (known && isOlder(report, known)) return total()
      reports.set(report.messageId, report)
      cost += (report.dollars ?? 0) - (known?.dollars ?? 0)
      tokens = grown(tokens, known?.tokens ?? nothing, report.tokens)
      unpriced += unpricedIn(report) - unpricedIn(known)
      return total()
    },
    /** Messages that were still being written when they were last reported. */
    unfinished(): readonly Usage[] {
      return [...reports.values()].filter(({ isPartial }) => isPartial === true)
    },
    total,
  }
}

function unpricedIn(report: Usage | undefined): number {
  return report && report.dollars === undefined ? 1 : 0
}

/** Usage of one message only grows while it is written. */
function isOlder(a: Usage, b: Usage): boolean {
  return a.tokens.outputTokens < b.tokens.outputTokens || (a.isPartial === true && b.isPartial !== true)
}

function grown(sum: TokenCounts, before: TokenCounts, now: TokenCounts): TokenCounts {
  return {
    inputTokens: sum.inputTokens + now.inputTokens - before.inputTokens,
    outputTokens: sum.outputTokens + now.outputTokens - before.outputTokens,
    cacheCreationTokens: sum.cacheCreationTokens + now.cacheCreationTokens - before.cacheCreationTokens,
    cacheReadTokens: sum.cacheReadTokens + now.cacheReadTokens - before.cacheReadTokens,
  }
}
