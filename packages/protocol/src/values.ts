import * as z from 'zod'

/** Values that several messages share. */

/** Makes a parsed shape read-only all the way down; messages are facts and are never edited. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T

export const isoTime = z.iso.datetime().register(z.globalRegistry, { description: 'ISO 8601 time' })
export const dollars = z.number().nonnegative().register(z.globalRegistry, { description: 'US dollars' })
export const milliseconds = z
  .number()
  .nonnegative()
  .register(z.globalRegistry, { description: 'milliseconds' })
const count = z.int().nonnegative()

export const processExit = z.discriminatedUnion('type', [
  z.object({ type: z.literal('success') }),
  z.object({ type: z.literal('error'), code: z.number() }),
  z.object({ type: z.literal('killed'), signal: z.string() }),
])
export type ProcessExit = Immutable<z.infer<typeof processExit>>

export const failureType = z.enum(['timeout', 'rate-limit', 'api-error', 'sentinel-load-failure', 'unknown'])

export const failureReason = z.object({
  type: failureType,
  retriable: z.boolean(),
  message: z.string().optional(),
  sentinelRefs: z
    .array(z.string())
    .optional()
    .register(z.globalRegistry, { description: 'for `sentinel-load-failure`' }),
})
export type FailureReason = Immutable<z.infer<typeof failureReason>>

export const checkpointType = z.enum(['rig-setup', 'completed', 'error', 'skipped'])
export type CheckpointType = z.infer<typeof checkpointType>

/** What a client may name in `rollback.toCodon`: the four types and two aliases. */
export const checkpointWord = z.enum([...checkpointType.options, 'start', 'end'])
export type CheckpointWord = z.infer<typeof checkpointWord>

export const codonStatus = z.enum([
  'preparing',
  'starting',
  'initializing',
  'running',
  'completing-sentinels',
  'completed',
  'failed',
  'skipped',
])
export type CodonStatus = z.infer<typeof codonStatus>

export const liveCodonStatus = codonStatus.exclude(['completed', 'failed', 'skipped'])
export type LiveCodonStatus = z.infer<typeof liveCodonStatus>

export const checkpointInfo = z.object({
  codonId: z.string(),
  codonName: z.string(),
  checkpointType,
  sha: z.string(),
  status: codonStatus,
  timestamp: isoTime,
})
export type CheckpointInfo = Immutable<z.infer<typeof checkpointInfo>>

export interface FileNode {
  readonly name: string
  readonly path: string
  readonly isDirectory: boolean
  readonly children: readonly FileNode[]
  readonly lastModified?: string | undefined
}

export const fileNode: z.ZodType<FileNode> = z
  .object({
    name: z.string(),
    path: z.string(),
    isDirectory: z.boolean(),
    get children() {
      return z.array(fileNode)
    },
    lastModified: z.string().optional(),
  })
  .meta({ id: 'FileNode' })

export const tokenCounts = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheCreationTokens: count,
  cacheReadTokens: count,
})
export type TokenCounts = Immutable<z.infer<typeof tokenCounts>>

export const modelUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count.optional(),
  cacheCreationInputTokens: count.optional(),
  costUSD: dollars,
})

export const promptMetadata = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  version: z.string().optional(),
  author: z.string().optional(),
})

export const loopContext = z.object({ loopId: z.string(), iteration: count, codonIndexInLoop: count })

export const budgetBreach = z.object({
  currency: z.enum(['dollars', 'seconds', 'output-tokens', 'context-tokens']),
  limit: z.number(),
  used: z.number(),
  scope: z.string().register(z.globalRegistry, {
    description: '`codon`, `loop:<id>`, `hank`, or the setting the limit came from',
  }),
})
export type BudgetBreach = Immutable<z.infer<typeof budgetBreach>>

export const sentinelStrategy = z.enum(['immediate', 'debounce', 'count', 'timeWindow'])
export const sentinelUnloadReason = z.enum([
  'codon-complete',
  'fatal-error',
  'consecutive-failures',
  'shutdown',
])

export const sentinelState = z.object({
  sentinelId: z.string(),
  status: z.enum(['loaded', 'unloaded', 'failed']),
  cost: dollars,
  costUnknown: z.literal(true).optional(),
  tokens: z.object({ input: count, output: count }),
  llmCallCount: count,
  triggerCount: count,
  droppedTriggers: count.optional(),
  unloadReason: sentinelUnloadReason.optional(),
})
export type SentinelState = Immutable<z.infer<typeof sentinelState>>
