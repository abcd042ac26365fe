import { fieldOf, numberOf, textOf } from '../../kit/index.ts'
import { firstValue } from '../headers.ts'
import { type AnswerDialect, dialectAt } from '../metering/answer-dialects.ts'
import type { OutgoingRequest } from '../transport.ts'

/** What can be known of a request before it goes out. */
export interface Asked {
  readonly provider: string
  /** `answer`: a model is to answer, which costs money. `free`: it is only looked at. `other`: nobody knows what it costs. */
  readonly kind: 'answer' | 'free' | 'other'
  /** Absent: the body cannot be read. */
  readonly model?: string | undefined
  /** Of the body; absent: it is not known yet. */
  readonly bytes?: number | undefined
  /** The longest answer that is asked for; absent: as long as the model likes. */
  readonly maxTokens?: number | undefined
  /** How many answers. */
  readonly answers: number
  /** More goes in than the body holds: pictures, files, what the provider keeps. */
  readonly hasMore: boolean
  /** Something is to be kept in the provider's cache for an hour, which costs more than the usual minutes. */
  readonly isKeptLong: boolean
}

export interface Route {
  readonly provider: string
  /** Path and query at the provider. */
  readonly target: string
}

/** Pure. */
export function askedOf(
  { method, headers, body, streamLength }: OutgoingRequest,
  { provider, target }: Route,
): Asked & { readonly dialect?: AnswerDialect | undefined } {
  const dialect = dialectAt(method, target)
  const held = Buffer.isBuffer(body) ? body : undefined
  const bytes = held?.length ?? (body === undefined ? 0 : streamLength)
  const kind = dialect ? 'answer' : isFree(method, target) ? 'free' : 'other'
  const nothing = { provider, kind, bytes, answers: 1, hasMore: false, isKeptLong: false, dialect } as const
  const coding = firstValue(headers, 'content-encoding') ?? 'identity'
  if (!dialect || !held || coding !== 'identity') return nothing
  const text = held.toString('utf8')
  const value = parsed(text)
  const isKeptLong = /"ttl"\s*:\s*"1h"/.test(text)
  return { ...nothing, ...readers[dialect.name](value, target), hasMore: more.test(text), isKeptLong }
}

/** Counting tokens and looking something up is free everywhere. */
function isFree(method: string, target: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true
  return /(?:\/count_tokens|:countTokens|\/input_tokens)$/.test(target.split('?', 1)[0] ?? '')
}

type Read = Pick<Asked, 'model' | 'maxTokens' | 'answers'>

const readers: Readonly<Record<AnswerDialect['name'], (value: unknown, target: string) => Read>> = {
  messages: value => ({
    model: textOf(fieldOf(value, 'model')),
    maxTokens: numberOf(fieldOf(value, 'max_tokens')),
    answers: 1,
  }),
  chat: value => ({
    model: textOf(fieldOf(value, 'model')),
    maxTokens: numberOf(fieldOf(value, 'max_completion_tokens')) ?? numberOf(fieldOf(value, 'max_tokens')),
    answers: numberOf(fieldOf(value, 'n')) ?? 1,
  }),
  responses: value => ({
    model: textOf(fieldOf(value, 'model')),
    maxTokens: numberOf(fieldOf(value, 'max_output_tokens')),
    answers: 1,
  }),
  google: (value, target) => {
    const config = fieldOf(value, 'generationConfig')
    return {
      model: /\/models\/([^/:?]+):/.exec(target)?.[1],
      maxTokens: numberOf(fieldOf(config, 'maxOutputTokens')),
      answers: numberOf(fieldOf(config, 'candidateCount')) ?? 1,
    }
  },
}

/** Words by which a body says that more belongs to it. One too many only lends more than is needed. */
const more =
  /"(?:image|image_url|input_image|document|input_file|input_audio|file|file_id|fileData|file_data|inlineData|inline_data|previous_response_id|conversation|cachedContent|container|mcp_servers|plugins)"|"type"\s*:\s*"(?:web_search|web_fetch|code_execution|computer|file_search|mcp)/

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
