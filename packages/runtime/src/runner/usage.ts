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
 * reordered reports change nothing.
 */
export function createTally() {
  const reports = new Map<string, Usage>()
  return {
    add(report: Usage): Tally {
      const known = reports.get(report.messageId)
      if (!known || !isOlder(report, known)) reports.set(report.messageId, report)
      return this.total()
    },
    total(): Tally {
      const all = [...reports.values()]
      return {
        cost: all.reduce((sum, { dollars = 0 }) => sum + dollars, 0),
        tokens: all.reduce<TokenCounts>((sum, { tokens }) => added(sum, tokens), nothing),
        costUnknown: all.some(({ dollars }) => dollars === undefined),
        messages: reports.size,
      }
    },
  }
}

/** Usage of one message only grows while it is written. */
function isOlder(a: Usage, b: Usage): boolean {
  return a.tokens.outputTokens < b.tokens.outputTokens
}

function added(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  }
}
