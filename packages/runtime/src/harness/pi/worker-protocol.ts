import type { Immutable } from '@weave/protocol'
import * as z from 'zod'
import { isTokenCount } from '../../kit/index.ts'
import type { Dialect } from '../../models/index.ts'
import type { HarnessSpec, ToolChoice } from '../harness.ts'

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
  retryAfterMs: count.optional(),
  contextFull: z.boolean(),
})

/** One JSON value per line. After `turn` the worker waits for the next prompt; after `failed` and `stopped` it ends. */
export const fromWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), event }),
  z.object({ type: z.literal('raw'), message: z.unknown() }),
  z.object({ type: z.literal('turn') }),
  failed,
  z.object({ type: z.literal('stopped') }),
])

export type FromWorker = Immutable<z.infer<typeof fromWorker>>
export type WorkerFailure = Immutable<z.infer<typeof failed>>
export type WorkerEvent = Immutable<z.infer<typeof event>>

/** All that a worker knows: it has no catalogue, reads no settings and looks for no keys of its own. */
export interface AgentTask extends Omit<HarnessSpec, 'codonId' | 'onRaw' | 'nextPrompt'> {
  /** Tokens; absent where our catalogue does not know the model. */
  readonly contextWindow?: number | undefined
  readonly maxOutputTokens?: number | undefined
  /** Where the SDK does not know the provider, or is to speak to it in another way. */
  readonly dialect?: Dialect | undefined
  readonly reasoning?: boolean | undefined
  readonly compat?: Readonly<Record<string, unknown>> | undefined
  /** Absent: all. */
  readonly tools?: ToolChoice | undefined
  /** A secret. Absent: the SDK may know a variable of the provider's own. */
  readonly key?: string | undefined
  /** Of the person's own Pi agent: the SDK reads it, and renews in it what has run out, as that agent does. */
  readonly authFile?: string | undefined
  /** The variables that would have held the key. */
  readonly keyVariables: readonly string[]
  /** Instead of the usual address. Neither ends in a slash. */
  readonly address?: Address | undefined
}

export interface Address {
  /** Without the version path. */
  readonly root: string
  /** With it. */
  readonly api: string
}

/** What a task will be about, as far as it is known before there is one. */
export type Warming = Pick<AgentTask, 'provider' | 'model' | 'dialect'>

/** One JSON value per line. The first is the task, or `warm` before it; `abort` may come at any time. */
export type ToWorker =
  | { readonly type: 'warm'; readonly wanted: Warming }
  | { readonly type: 'task'; readonly task: AgentTask }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'finish' }
  | { readonly type: 'abort' }
