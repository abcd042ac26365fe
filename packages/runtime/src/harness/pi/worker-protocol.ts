import type { Immutable } from '@weave/protocol'
import * as z from 'zod'
import { isTokenCount } from '../../kit/index.ts'
import type { HarnessSpec } from '../harness.ts'

const text = z.string()
const count = z.number().nonnegative()
const tokenCount = z.number().refine(isTokenCount)

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), sessionId: text.min(1) }),
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('thinking'), text }),
  z.object({ type: z.literal('tool-call'), id: text, name: text, input: z.record(text, z.unknown()) }),
  z.object({
    type: z.literal('tool-result'),
    id: text,
    name: text,
    output: text,
    isError: z.boolean(),
    durationMs: count,
  }),
  z.object({
    type: z.literal('usage'),
    messageId: text,
    tokens: z.object({
      inputTokens: tokenCount,
      outputTokens: tokenCount,
      cacheCreationTokens: tokenCount,
      cacheReadTokens: tokenCount,
    }),
    isUnknown: z.literal(true).optional(),
    modelId: text,
  }),
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('compacted') }),
])

const failed = z.object({
  type: z.literal('failed'),
  trouble: z.object({
    kind: z.enum(['answer', 'connection', 'launch', 'crash', 'lost-session', 'unknown']),
    status: z.number().optional(),
    message: text,
  }),
  /** What the provider asked for. */
  retryAfterMs: count.optional(),
  /** The turn ended because the context is full. */
  contextFull: z.boolean(),
})

/**
 * What a worker sends the server, one JSON value per line. After `turn` it waits for the next prompt; after `failed` and
 * `stopped` no event follows, and it ends.
 */
export const fromWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), event }),
  /** A message of the SDK. */
  z.object({ type: z.literal('raw'), message: z.unknown() }),
  /** A turn went well. */
  z.object({ type: z.literal('turn') }),
  failed,
  z.object({ type: z.literal('stopped') }),
])

export type FromWorker = Immutable<z.infer<typeof fromWorker>>
export type WorkerFailure = Immutable<z.infer<typeof failed>>
export type WorkerEvent = Immutable<z.infer<typeof event>>

/** Everything a worker needs to know: it has no catalogue, reads no settings and looks for no keys of its own. */
export interface AgentTask extends Omit<HarnessSpec, 'codonId' | 'onRaw' | 'nextPrompt'> {
  /** Tokens; absent where our catalogue does not know the model. */
  readonly contextWindow?: number | undefined
  readonly maxOutputTokens?: number | undefined
  /** A secret. Absent: the SDK may know a variable of the provider's own. */
  readonly key?: string | undefined
  /** The variables that would have held the key. */
  readonly keyVariables: readonly string[]
  /** Where the provider is asked instead of at its usual address. Neither ends in a slash. */
  readonly address?: Address | undefined
}

export interface Address {
  /** Without the version path. */
  readonly root: string
  /** With it. */
  readonly api: string
}

/** What the server sends a worker, one JSON value per line. The first is the task; `abort` may come at any time. */
export type ToWorker =
  | { readonly type: 'task'; readonly task: AgentTask }
  /** One more turn in the same session. */
  | { readonly type: 'prompt'; readonly text: string }
  /** No more turns: end. */
  | { readonly type: 'finish' }
  | { readonly type: 'abort' }
