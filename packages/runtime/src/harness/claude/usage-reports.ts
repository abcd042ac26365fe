import type { TokenCounts } from '@weave/protocol'
import type { HarnessEvent } from '../harness-event.ts'
import type { PartialUsage } from './sdk-message.ts'

type UsageEvent = Extract<HarnessEvent, { readonly type: 'usage' }>

/**
 * Puts together what is told of the usage of each answer. Reports come in pieces and repeat themselves: the beginning of
 * an answer has its input, the end its output, and each of its blocks repeats the beginning. Only news is reported.
 */
export interface UsageReports {
  /** The answer is being written from now on. */
  began(answer: Answer & { readonly thread: string }): readonly UsageEvent[]
  /** Later figures of the answer that began last in this thread. */
  grew(growth: Growth): readonly UsageEvent[]
  /** Blocks of an answer: one that is being written, or one that came as a whole. */
  told(answer: Answer): readonly UsageEvent[]
}

interface Answer {
  readonly messageId: string
  readonly modelId: string | undefined
  readonly usage: PartialUsage
}

interface Growth {
  readonly thread: string
  /** These are the last. */
  readonly isWhole: boolean
  readonly usage: PartialUsage
}

const nothing: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

export function createUsageReports(): UsageReports {
  const answers = new Map<string, UsageEvent>()
  const latest = new Map<string, string>()
  /** Answers whose output was told. */
  const written = new Set<string>()
  /** Answers of which something was told that cannot be. */
  const odd = new Set<string>()

  function report({ messageId, modelId, usage }: Answer, isPartial: boolean): readonly UsageEvent[] {
    const known = answers.get(messageId)
    const model = modelId ?? known?.modelId
    const tokens = merged(known?.tokens ?? nothing, usage)
    if (usage.outputTokens !== undefined) written.add(messageId)
    if (usage.isOdd) odd.add(messageId)
    const isUntold = !isPartial && !(written.has(messageId) && hasInput(tokens))
    const event: UsageEvent = {
      type: 'usage',
      messageId,
      tokens,
      ...(model !== undefined && { modelId: model }),
      ...(isPartial && { isPartial }),
      ...((isUntold || odd.has(messageId)) && { isUnknown: true }),
    }
    if (known && isSame(event, known)) return []
    answers.set(messageId, event)
    return [event]
  }

  return {
    began(answer) {
      latest.set(answer.thread, answer.messageId)
      return report(answer, true)
    },
    grew({ thread, isWhole, usage }) {
      const messageId = latest.get(thread)
      return messageId === undefined ? [] : report({ messageId, modelId: undefined, usage }, !isWhole)
    },
    told: answer => report(answer, answers.get(answer.messageId)?.isPartial === true),
  }
}

/** Counts only grow: a block that repeats the beginning must not undo the end. */
function merged(known: TokenCounts, usage: PartialUsage): TokenCounts {
  const larger = (field: keyof TokenCounts): number => Math.max(known[field], usage[field] ?? 0)
  return {
    inputTokens: larger('inputTokens'),
    outputTokens: larger('outputTokens'),
    cacheCreationTokens: larger('cacheCreationTokens'),
    cacheReadTokens: larger('cacheReadTokens'),
  }
}

/** Nobody is asked nothing: an answer to no input is one whose usage was not told. */
function hasInput({ inputTokens, cacheCreationTokens, cacheReadTokens }: TokenCounts): boolean {
  return inputTokens + cacheCreationTokens + cacheReadTokens > 0
}

function isSame(a: UsageEvent, b: UsageEvent): boolean {
  return (
    a.tokens.inputTokens === b.tokens.inputTokens &&
    a.tokens.outputTokens === b.tokens.outputTokens &&
    a.tokens.cacheCreationTokens === b.tokens.cacheCreationTokens &&
    a.tokens.cacheReadTokens === b.tokens.cacheReadTokens &&
    a.isPartial === b.isPartial &&
    a.isUnknown === b.isUnknown
  )
}
