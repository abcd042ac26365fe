import { isDeepStrictEqual } from 'node:util'
import type { TokenCounts } from '@weave/protocol'
import type { Clock } from '../../kit/index.ts'
import type { HarnessEvent } from '../harness.ts'
import type { Answer, AnswerGrowth, Block, PartialUsage, SdkMessage, ToolOutput } from './sdk-message.ts'
import { noTokens } from './side-usage.ts'

/** Much less than the shortest idle timeout, which is a second. */
const betweenSignsMs = 250

/** A message without news is a sign of life, emitted four times a second at most. */
export function createTranslate(clock: Clock): (message: SdkMessage) => readonly HarnessEvent[] {
  const tools = createToolBook(clock)
  const usage = createUsageReports()
  let lastSign = Number.NEGATIVE_INFINITY

  function news(message: SdkMessage): readonly HarnessEvent[] {
    switch (message.kind) {
      case 'answer':
        return [...message.blocks.map(tools.told), ...usage.told(message)]
      case 'answer-began':
        return usage.began(message)
      case 'answer-grew':
        return usage.grew(message)
      case 'tool-results':
        return message.results.map(tools.ended)
      case 'retry':
        return [{ type: 'waiting', delayMs: message.delayMs, reason: reasonOf(message.status) }]
      case 'compacted':
        return [{ type: 'compacted' }]
      default:
        return []
    }
  }

  return message => {
    const told = news(message)
    const now = clock.monotonic()
    if (told.length === 0 && now - lastSign < betweenSignsMs) return []
    lastSign = now
    return told.length > 0 ? told : [{ type: 'alive' }]
  }
}

function reasonOf(status: number | undefined): string {
  if (status === undefined) return 'the provider could not be reached'
  if (status === 429) return 'the provider limits the rate of requests (429)'
  if (status === 529) return 'the provider is overloaded (529)'
  return `the provider answered with status ${status}`
}

/** Results do not say whose they are nor how long it took. */
function createToolBook(clock: Clock) {
  const open = new Map<string, { readonly name: string; readonly since: number }>()
  return {
    told(block: Block): HarnessEvent {
      if (block.type === 'tool-call') open.set(block.id, { name: block.name, since: clock.monotonic() })
      return block
    },
    ended({ id, output, isError }: ToolOutput): HarnessEvent {
      const now = clock.monotonic()
      const { name, since } = open.get(id) ?? { name: 'unknown', since: now }
      open.delete(id)
      return { type: 'tool-result', id, name, output, isError, durationMs: Math.round(now - since) }
    },
  }
}

type Told = Answer & { readonly thread: string; readonly blocks: readonly Block[] }
type UsageEvent = Extract<HarnessEvent, { readonly type: 'usage' }>

/** Of an answer whose figures come later: rather too few, since what is missing is told at the end of the turn. */
const lettersPerToken = 6

/** The usage of each answer. The beginning has its input, the end its output, and each block repeats the beginning. */
function createUsageReports() {
  const answers = new Map<string, UsageEvent>()
  const latest = new Map<string, string>()
  /** Answers whose output was reported. */
  const written = new Set<string>()
  /** How much was written in answers that are not streamed to us. */
  const lengths = new Map<string, number>()
  /** Answers with a report that cannot be true. */
  const odd = new Set<string>()

  function report({ messageId, modelId, usage }: Answer, isPartial: boolean): readonly UsageEvent[] {
    const known = answers.get(messageId)
    const model = modelId ?? known?.modelId
    const tokens = merged(known?.tokens ?? noTokens, usage)
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

  /** Agents inside the agent are not streamed, and what comes of them has the figures of its beginning. */
  function estimated({ messageId, blocks, usage }: Told): PartialUsage {
    const length = (lengths.get(messageId) ?? 0) + JSON.stringify(blocks).length
    lengths.set(messageId, length)
    const outputTokens = Math.max(usage.outputTokens ?? 0, Math.floor(length / lettersPerToken))
    return { ...usage, outputTokens }
  }

  return {
    began(answer: Answer & { readonly thread: string }) {
      latest.set(answer.thread, answer.messageId)
      return report(answer, true)
    },
    grew({ thread, isWhole, usage }: AnswerGrowth) {
      const messageId = latest.get(thread)
      return messageId === undefined ? [] : report({ messageId, modelId: undefined, usage }, !isWhole)
    },
    /** Of one that is being written, or one that came as a whole. */
    told(answer: Told) {
      const counted = answer.thread === '' ? answer : { ...answer, usage: estimated(answer) }
      return report(counted, answers.get(answer.messageId)?.isPartial === true)
    },
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

/** There is no request without input: an answer to none is one whose usage was not reported. */
function hasInput({ inputTokens, cacheCreationTokens, cacheReadTokens }: TokenCounts): boolean {
  return inputTokens + cacheCreationTokens + cacheReadTokens > 0
}

function isSame(a: UsageEvent, b: UsageEvent): boolean {
  return isDeepStrictEqual(a.tokens, b.tokens) && a.isPartial === b.isPartial && a.isUnknown === b.isUnknown
}
