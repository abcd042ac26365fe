import { fieldOf, isObject, listOf, textOf } from '../kit/index.ts'
import { type Endpoint, isKnownProvider, type ResolvedModel } from '../models/index.ts'

/** One authenticated request that costs no tokens. */
export interface Probe {
  /** Holds no key. */
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the answer is about the model; one that is only about the key cannot say that a model is missing. */
  readonly isAboutModel: boolean
  /** Whether the answer says that the model is not there. */
  lacks?(body: unknown): boolean
  /** The server need not know the question: with this status nothing is known to be wrong. */
  readonly unasked?: number
  /** Whether the body of a good answer is what this provider sends, and not the page of someone in between. */
  isAnswer(body: unknown): boolean
}

type Address = Extract<Endpoint, { readonly ok: true }>
type Dialect = (id: string, api: string, key: string) => Probe

interface Key {
  readonly value: string
  /** Not a key of the provider, but a token of whoever stands before it. */
  readonly isToken: boolean
}

/**
 * What to ask about a model, or nothing: a provider whose way of being asked for one model is not known is left to the
 * catalogue. `key` must be fit for a header.
 */
export function probeFor(model: ResolvedModel, { api }: Address, key: Key): Probe | undefined {
  const { provider, id, dialect = 'openai-completions' } = model
  const isOwn = !isKnownProvider(provider) && dialect.startsWith('openai-')
  const probe = (dialects.get(provider) ?? (isOwn ? listing(provider) : undefined))?.(id, api, key.value)
  return probe && key.isToken ? withToken(probe, key.value) : probe
}

function withToken(probe: Probe, token: string): Probe {
  const { 'x-api-key': _, ...headers } = probe.headers
  return { ...probe, headers: { ...headers, authorization: `Bearer ${token}` } }
}

/** A server of the person's own: most have a list of their models. */
function listing(provider: string): Dialect {
  return (id, api, key) => ({
    ...asking(`${api}/models`, { authorization: `Bearer ${key}` }),
    unasked: 404,
    isAnswer: body => isObject(body),
    lacks: body => {
      const ids = listOf(fieldOf(body, 'data')).flatMap(entry => textOf(fieldOf(entry, 'id')) ?? [])
      return (
        !servesAnyName.has(provider) && ids.length > 0 && !ids.includes(id) && !ids.includes(`${id}:latest`)
      )
    },
  })
}

/** It has one model, whatever it is called. */
const servesAnyName: ReadonlySet<string> = new Set(['llama.cpp'])

const json = { accept: 'application/json' }

const messages: Dialect = (id, api, key) => ({
  url: `${api}/messages/count_tokens`,
  method: 'POST',
  headers: {
    ...json,
    'content-type': 'application/json',
    'x-api-key': key,
    'anthropic-version': '2023-06-01',
  },
  body: JSON.stringify({ model: id, messages: [{ role: 'user', content: 'ping' }] }),
  isAboutModel: true,
  isAnswer: body => fieldOf(body, 'input_tokens') !== undefined,
})

const openAi: Dialect = (id, api, key) => ({
  ...asking(`${api}/models/${encodeURIComponent(id)}`, { authorization: `Bearer ${key}` }),
  isAnswer: body => fieldOf(body, 'id') !== undefined,
})

const google: Dialect = (id, api, key) => ({
  ...asking(`${api}/models/${encodeURIComponent(id)}`, { 'x-goog-api-key': key }),
  isAnswer: body => fieldOf(body, 'name') !== undefined,
})

const openRouter: Dialect = (_id, api, key) => ({
  ...asking(`${api}/key`, { authorization: `Bearer ${key}` }),
  isAboutModel: false,
  isAnswer: body => fieldOf(body, 'data') !== undefined,
})

function asking(url: string, headers: Probe['headers']) {
  return { url, method: 'GET', headers: { ...json, ...headers }, isAboutModel: true } as const
}

/** Of the OpenAI-shaped providers, those that document an answer for a single model; the others only list theirs. */
const dialects: ReadonlyMap<string, Dialect> = new Map([
  ['anthropic', messages],
  ['google', google],
  ['openrouter', openRouter],
  ['openai', openAi],
  ['xai', openAi],
  ['mistral', openAi],
  ['groq', openAi],
  ['cerebras', openAi],
])
