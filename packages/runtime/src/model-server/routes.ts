import type { JsonObject } from '../kit/index.ts'
import { anthropic } from './dialects/anthropic.ts'
import type { Dialect } from './dialects/dialect.ts'
import { google } from './dialects/google.ts'
import { openAiChat, openRouter } from './dialects/openai-chat.ts'
import { openAiResponses } from './dialects/openai-responses.ts'
import type { RequestReading } from './model-request.ts'

/** What a request is about, by its method and path alone. */
export type Route =
  /** Wants an answer of the model. */
  | { readonly kind: 'model'; readonly dialect: Dialect; readonly given: Given }
  /** Wants to know how long a text is: one number, under this name. */
  | { readonly kind: 'count'; readonly dialect: Dialect; readonly given: Given; readonly field: string }
  /** Wants to know whether someone is there (`isOpen`: without a key), or whether the key and the model are good. */
  | { readonly kind: 'probe'; readonly dialect: Dialect; readonly body: JsonObject; readonly isOpen?: true }
  | { readonly kind: 'unknown'; readonly dialect: Dialect }

/** What stands in the path instead of the body. */
type Given = Partial<Pick<RequestReading, 'model' | 'stream'>>

interface Row {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** `id`: the group of that name, decoded. */
  readonly route: (id: string) => Route
}

const rows: readonly Row[] = [
  post(/^\/v1\/messages$/, () => model(anthropic)),
  post(/^\/v1\/messages\/count_tokens$/, () => count(anthropic, 'input_tokens')),
  get(/^\/api\/hello$/, () => ({ ...probe(anthropic, { message: 'hello' }), isOpen: true })),

  // Not every provider of this dialect is at its first version.
  post(/^\/v\d+\/chat\/completions$/, () => model(openAiChat)),
  post(/^\/v1\/responses$/, () => model(openAiResponses)),
  // Two providers answer here, each in words that the other one does not use.
  get(/^\/v1\/models$/, () => probe(openAiChat, { object: 'list', data: [], has_more: false })),
  get(/^\/v1\/models\/(?<id>.+)$/, id => probe(openAiChat, modelCard(id))),

  post(/^\/api\/v1\/chat\/completions$/, () => model(openRouter)),
  get(/^\/api\/v1\/key$/, () => probe(openRouter, { data: { label: 'rehearsal', usage: 0, limit: null } })),
  get(/^\/api\/v1\/models$/, () => probe(openRouter, { data: [] })),

  post(/^\/v1beta\/models\/(?<id>.+):generateContent$/, id => model(google, { model: id, stream: false })),
  post(/^\/v1beta\/models\/(?<id>.+):streamGenerateContent$/, id =>
    model(google, { model: id, stream: true }),
  ),
  post(/^\/v1beta\/models\/(?<id>.+):countTokens$/, id => count(google, 'totalTokens', { model: id })),
  get(/^\/v1beta\/models$/, () => probe(google, { models: [] })),
  get(/^\/v1beta\/models\/(?<id>.+)$/, id => probe(google, { name: `models/${id}`, displayName: id })),
]

/** `path` without its query. */
export function routeOf(method: string, path: string): Route {
  const asked = method === 'HEAD' ? 'GET' : method
  for (const row of rows) {
    const found = row.method === asked ? row.path.exec(path) : null
    if (found) return row.route(decoded(found.groups?.['id'] ?? ''))
  }
  return { kind: 'unknown', dialect: dialectAt(path) }
}

/** Whose words an error is told in, at an address that nobody has. */
function dialectAt(path: string): Dialect {
  if (path.startsWith('/v1/messages')) return anthropic
  if (path.startsWith('/v1beta/')) return google
  return path.startsWith('/api/v1/') ? openRouter : openAiChat
}

function post(path: RegExp, route: Row['route']): Row {
  return { method: 'POST', path, route }
}

function get(path: RegExp, route: Row['route']): Row {
  return { method: 'GET', path, route }
}

function model(dialect: Dialect, given: Given = {}): Route {
  return { kind: 'model', dialect, given }
}

function count(dialect: Dialect, name: string, given: Given = {}): Route {
  return { kind: 'count', dialect, given, field: name }
}

function probe(dialect: Dialect, body: JsonObject): Extract<Route, { readonly kind: 'probe' }> {
  return { kind: 'probe', dialect, body }
}

function modelCard(id: string): JsonObject {
  const ours = { type: 'model', display_name: id, created_at: '2026-01-01T00:00:00Z' }
  return { id, object: 'model', created: 0, owned_by: 'rehearsal', ...ours }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
