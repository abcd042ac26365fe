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

  function report({ messageId, modelId, usage }: Answer, isPartial: boolean): readonly UsageEvent[] {
    const known = answers.get(messageId)
    const model = modelId ?? known?.modelId
    const event: UsageEvent = {
      type: 'usage',
      messageId,
      tokens: merged(known?.tokens ?? nothing, usage),
      ...(model !== undefined && { modelId: model }),
      ...(isPartial && { isPartial }),
    }
    if (known && isSame(event.tokens, known.tokens) && event.isPartial === known.isPartial) return []
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
  const larger = (field: keyof TokenCounts) => Math.max(known[field], usage[field] ?? 0)
  return {
    inputTokens: larger('inputTokens'),
    outputTokens: larger('outputTokens'),
    cacheCreationTokens: larger('cacheCreationTokens'),
    cacheReadTokens: larger('cacheReadTokens'),
  }
}

function isSame(a: TokenCounts, b: TokenCounts): boolean {
  return (
    a.inputTokens === b.inputTokens &&
    a.outputTokens === b.outputTokens &&
    a.cacheCreationTokens === b.cacheCreationTokens &&
    a.cacheReadTokens === b.cacheReadTokens
  )
}
