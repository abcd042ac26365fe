import type { EventData, TokenCounts } from '@weave/protocol'
import type { HarnessEvent } from '../harness/index.ts'

type Usage = HarnessEvent & { readonly type: 'usage' }

type ModelUsage = NonNullable<EventData<'token.usage'>['modelUsage']>

export interface Tally {
  readonly cost: number
  readonly tokens: TokenCounts
  /** Some message had no known price. */
  readonly costUnknown: boolean
  readonly messages: number
  /** By the model that wrote the message, as far as that and its price are known. */
  readonly byModel: ModelUsage
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
  const models = new Map<string, ModelSum>()

  const total = (): Tally => ({
    cost,
    tokens,
    costUnknown: unpriced > 0,
    messages: reports.size,
    byModel: Object.fromEntries([...models].flatMap(modelUsage)),
  })

  /** Takes a report in with `sign` 1 and out again with -1. */
  const count = (report: Usage | undefined, sign: 1 | -1): void => {
    if (report?.modelId === undefined) return
    const { cost: before, tokens: sum, unpriced: without } = models.get(report.modelId) ?? emptySum
    models.set(report.modelId, {
      cost: before + sign * (report.dollars ?? 0),
      tokens: sign > 0 ? grown(sum, nothing, report.tokens) : grown(sum, report.tokens, nothing),
      unpriced: without + sign * unpricedIn(report),
    })
  }

  return {
    add(report: Usage): Tally {
      const known = reports.get(report.messageId)
      if (known && isOlder(report, known)) return total()
      reports.set(report.messageId, report)
      cost += (report.dollars ?? 0) - (known?.dollars ?? 0)
      tokens = grown(tokens, known?.tokens ?? nothing, report.tokens)
      unpriced += unpricedIn(report) - unpricedIn(known)
      count(known, -1)
      count(report, 1)
      return total()
    },
    /** Messages that were still being written when they were last reported. */
    unfinished(): readonly Usage[] {
      return [...reports.values()].filter(({ isPartial }) => isPartial === true)
    },
    total,
  }
}

interface ModelSum {
  readonly cost: number
  readonly tokens: TokenCounts
  /** Messages without a known price. */
  readonly unpriced: number
}

const emptySum: ModelSum = { cost: 0, tokens: nothing, unpriced: 0 }

/** Models without a known price are left out: the map holds numbers only. */
function modelUsage([model, { cost, tokens, unpriced }]: readonly [string, ModelSum]) {
  if (unpriced > 0) return []
  const usage = {
    inputTokens: tokens.inputTokens,
    outputTokens: tokens.outputTokens,
    cacheReadInputTokens: tokens.cacheReadTokens,
    cacheCreationInputTokens: tokens.cacheCreationTokens,
    costUSD: Math.max(0, cost),
  }
  return [[model, usage] as const]
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
