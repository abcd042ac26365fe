import { realpathSync } from 'node:fs'
import { headerMap } from '../headers.ts'
import { maskedUrl } from '../request-head.ts'
import type { OutgoingRequest } from '../transport.ts'

/** What must be equal for an answer to fit a request. No credential is in it, and nothing that each run has anew. */
export interface NormalisedRequest {
  readonly method: string
  readonly path: string
  /** JSON, or the text; null when there is none. */
  readonly body: unknown
  /** Only what changes the meaning of the body. */
  readonly headers: Readonly<Record<string, string>>
}

/** Without secrets and without words that hold for one execution only. */
export type Clean = (text: string) => string

const meaningful = ['anthropic-version', 'anthropic-beta', 'openai-beta', 'content-type']

/** Undefined: the body was too large to be looked at. */
export function normalisedRequest(
  { method, target, headers, body }: OutgoingRequest,
  clean: Clean,
): NormalisedRequest | undefined {
  if (body !== undefined && !Buffer.isBuffer(body)) return undefined
  const all = headerMap(headers)
  const ids = new Map<string, string>()
  return {
    method,
    path: clean(maskedUrl(target)),
    body: normalisedBody(body, text => withoutIds(withoutMoments(clean(text)), ids)),
    headers: Object.fromEntries(
      meaningful.flatMap(name => (all[name] === undefined ? [] : [[name, clean(all[name])]])),
    ),
  }
}

function normalisedBody(body: Buffer | undefined, words: Clean): unknown {
  if (body === undefined || body.length === 0) return null
  const text = body.toString('utf8')
  try {
    return normalisedValue(JSON.parse(text), words, [])
  } catch {
    return words(text)
  }
}

/** Who asks, and in which session: an SDK makes these up anew in each run. */
const leftOut: ReadonlySet<string> = new Set(['metadata.user_id', 'prompt_cache_key', 'safety_identifier'])

/** Keys under which the calls of tools and their results are told apart. */
const idKeys: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_use_id', 'tool_call_id'])

function normalisedValue(value: unknown, words: Clean, path: readonly string[]): unknown {
  if (typeof value === 'string') return words(value)
  if (Array.isArray(value)) return value.map(item => normalisedValue(item, words, [...path, '*']))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const way = [...path, key]
      if (leftOut.has(way.join('.'))) return []
      const isId = idKeys.has(key) && typeof item === 'string'
      return [[words(key), isId ? words(`${idMark}${item}`) : normalisedValue(item, words, way)]]
    }),
  )
}

/** Ids are counted in the order in which they come, so that what refers to what is still compared. */
const idMark = '\0id:'
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi

function withoutIds(text: string, ids: Map<string, string>): string {
  const counted = (id: string): string => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`
    ids.set(id, known)
    return known
  }
  return text.startsWith(idMark) ? counted(text.slice(idMark.length)) : text.replace(uuid, counted)
}

/** What an SDK tells its model about today, and times to the second wherever they stand. */
const moments: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/(\b(?:today's date is|current date:|current date is)\s*)[^\n.]+/gi, '$1<date>'],
  [/^x-anthropic-billing-header:.*$/g, 'x-anthropic-billing-header: <billing>'],
]

function withoutMoments(text: string): string {
  return moments.reduce((left, [pattern, kept]) => left.replace(pattern, kept), text)
}

/** Words that are different in every execution, and what stands for them in a recording. */
export interface LocalWords {
  /** From what an agent or a model said here to what is kept. */
  hide(text: string): string
  /** From what is kept to words that are true here. */
  show(text: string): string
}

const whole = '{{weave:execution}}'
const dashed = '{{weave:execution-name}}'

/** An execution knows itself by its directory, in two spellings: as a path, and as the SDK makes a file name of it. */
export function localWords(executionDir: string): LocalWords {
  const paths = new Set([executionDir, realPath(executionDir)])
  const words = [...paths].flatMap(path => [
    { word: path, kept: whole },
    { word: asFileName(path), kept: dashed },
  ])
  const patterns = words.map(({ word, kept }) => ({ pattern: wholeWord(word), kept }))
  return {
    hide: text => patterns.reduce((left, { pattern, kept }) => left.replace(pattern, kept), text),
    show: text => text.replaceAll(dashed, asFileName(executionDir)).replaceAll(whole, executionDir),
  }
}

/** As long as the name goes on, it is another one. */
function wholeWord(word: string): RegExp {
  return new RegExp(`${word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'g')
}

function asFileName(path: string): string {
  return path.replace(/[^A-Za-z0-9]/g, '-')
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
