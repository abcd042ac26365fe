import type { EventData, TokenCounts } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { names, providerName, type Vocabulary } from './names.ts'
import { type Attributes, attributesOf, contentAttributes, type SpanFailure } from './span.ts'

export interface TurnPlace {
  readonly runId: string
  readonly index: number
  readonly parentId: string
  /** The model of the plan. */
  readonly model: string
  readonly provider: string | undefined
}

const noTokens: TokenCounts = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
}

/**
 * The answers of a model in one attempt. What they used adds up to what the ledger says of the attempt, to the token: a
 * message that is reported twice counts once, and what an answer had used that was cut off is a span of its own.
 */
export function createTurns(place: TurnPlace, ground: FoldGround) {
  let count = 0
  let since = 0
  let counted = noTokens
  let ledger: TokenCounts | undefined
  let parts: object[] = []

  const turn = (usage: TokenCounts, ending: TurnEnding): Draft => {
    const index = count++
    counted = added(counted, usage)
    const spoken = spokenAttributes(parts)
    parts = []
    return turnSpan({ place, ground, index, usage, ...ending, spoken })
  }

  return {
    /** How many there were. */
    get count(): number {
      return count
    },
    get ledger(): TokenCounts {
      return ledger ?? counted
    },
    /** The agent got something to answer to. */
    handed(time: number): void {
      since = Math.max(since, time)
    },
    /** What the whole attempt has used by now. */
    account(tokens: TokenCounts): void {
      ledger = tokens
    },
    accountMore(tokens: TokenCounts): void {
      ledger = added(ledger ?? noTokens, tokens)
    },
    said(data: EventData<'assistant.action'>): void {
      if (ground.content === 'all') parts.push(partOf(data))
    },
    ended(data: EventData<'token.usage'>, time: number): Draft {
      const begun = data.startedAt === undefined ? since : Date.parse(data.startedAt)
      const usage = ledger ? least(countsOf(data), minus(ledger, counted)) : countsOf(data)
      const start = begun === 0 ? time : begun
      since = Math.max(since, time)
      return turn(usage, { start, end: time, modelId: data.modelId })
    },
    /** What was used and not told of when the attempt ended. */
    cutOff(end: number, failure: SpanFailure | undefined): Draft | undefined {
      const rest = minus(ledger ?? counted, counted)
      if (Object.values(rest).every(tokens => tokens === 0)) return undefined
      return turn(rest, { start: since === 0 ? end : since, end, failure })
    },
  }
}

export type Turns = ReturnType<typeof createTurns>

interface TurnEnding {
  readonly start: number
  readonly end: number
  readonly modelId?: string | undefined
  readonly failure?: SpanFailure | undefined
}

interface TurnFacts extends TurnEnding {
  readonly place: TurnPlace
  readonly ground: FoldGround
  readonly index: number
  readonly usage: TokenCounts
  readonly spoken: Attributes
}

function turnSpan(facts: TurnFacts): Draft {
  const { place, ground, index, usage, start, end, modelId, failure, spoken } = facts
  const { runId, parentId, provider } = place
  const model = requestModel(place.model, modelId)
  return {
    subject: 'chat',
    name: `chat ${model}`,
    kind: 'client',
    spanId: ground.idOf(['chat', runId, place.index, index]),
    parentId,
    start,
    end: notBefore(start, end),
    attributes: {
      ...attributesOf({
        [names.operation]: 'chat',
        [names.provider]: providerName(provider),
        [names.requestModel]: model,
        [names.responseModel]: modelId ?? model,
        ...usageAttributes(usage, ground.vocabulary),
        [names.errorType]: failure?.type,
      }),
      ...spoken,
    },
    events: [],
    links: [],
    failure,
    runId,
    usage,
  }
}

/** Providers name a model with its date, too; any other name is that of a model which the agent chose by itself. */
function requestModel(planned: string, modelId: string | undefined): string {
  return modelId === undefined || modelId.startsWith(planned) ? planned : modelId
}

/** The conventions count cached tokens as input; the ledger keeps them apart. */
export function usageAttributes(
  usage: TokenCounts,
  { cacheWrite }: Vocabulary,
  { withCaches = true } = {},
): Readonly<Record<string, number | undefined>> {
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens } = usage
  return {
    [names.inputTokens]: inputTokens + cacheCreationTokens + cacheReadTokens,
    [names.outputTokens]: outputTokens,
    [names.cacheRead]: withCaches ? cacheReadTokens : undefined,
    [cacheWrite]: withCaches ? cacheCreationTokens : undefined,
  }
}

function spokenAttributes(parts: readonly object[]): Attributes {
  if (parts.length === 0) return {}
  return contentAttributes({ [names.outputMessages]: JSON.stringify([{ role: 'assistant', parts }]) })
}

function partOf({ action, content, toolName, toolInput, toolUseId }: EventData<'assistant.action'>): object {
  if (action === 'message') return { type: 'text', content }
  if (action === 'thinking') return { type: 'reasoning', content }
  return { type: 'tool_call', id: toolUseId, name: toolName ?? content, arguments: toolInput }
}

function countsOf(data: TokenCounts): TokenCounts {
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens } = data
  return { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }
}

type Combine = (one: number, other: number) => number

function combined(one: TokenCounts, other: TokenCounts, combine: Combine): TokenCounts {
  return {
    inputTokens: combine(one.inputTokens, other.inputTokens),
    outputTokens: combine(one.outputTokens, other.outputTokens),
    cacheCreationTokens: combine(one.cacheCreationTokens, other.cacheCreationTokens),
    cacheReadTokens: combine(one.cacheReadTokens, other.cacheReadTokens),
  }
}

function added(one: TokenCounts, other: TokenCounts): TokenCounts {
  return combined(one, other, (left, right) => left + right)
}

function minus(one: TokenCounts, other: TokenCounts): TokenCounts {
  return combined(one, other, (left, right) => Math.max(0, left - right))
}

function least(one: TokenCounts, other: TokenCounts): TokenCounts {
  return combined(one, other, Math.min)
}
