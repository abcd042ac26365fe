import type { TokenCounts } from '@weave/protocol'
import type { HarnessEvent } from '../harness.ts'

type UsageEvent = Extract<HarnessEvent, { readonly type: 'usage' }>

const classes = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens'] as const

/**
 * What the SDK tells only in sum, at the end of a turn: the whole output of agents inside the agent, and the questions that web
 * tools ask a model. `before`: the sum of the session that this one goes on from; undefined when it is not known, and then
 * nothing can be told.
 */
export function createSideUsage(before: TokenCounts | undefined) {
  const reported = new Map<string, TokenCounts>()
  let told = 0

  function sum(field: (typeof classes)[number]): number {
    return [...reported.values()].reduce((all, tokens) => all + tokens[field], 0)
  }

  return {
    heard({ messageId, tokens }: Pick<UsageEvent, 'messageId' | 'tokens'>): void {
      reported.set(messageId, tokens)
    },
    /** What is in the sum of the SDK and was not reported yet. Answers that were cut off are not in that sum. */
    rest(total: TokenCounts | undefined): UsageEvent | undefined {
      if (!total || !before) return undefined
      const left = classes.map(field => Math.max(0, total[field] - before[field] - sum(field)))
      if (left.every(count => count === 0)) return undefined
      const [inputTokens = 0, outputTokens = 0, cacheCreationTokens = 0, cacheReadTokens = 0] = left
      const messageId = `beside-${++told}`
      const tokens = { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }
      reported.set(messageId, tokens)
      return { type: 'usage', messageId, tokens }
    },
  }
}

export const noTokens: TokenCounts = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
}
