import * as z from 'zod'
import type { ReportRun, ReportSetting, ReportTotals } from './report.ts'
import { runState } from './state.ts'
import { codonStatus, type Immutable, tokenCounts } from './values.ts'

/** Shapes of a report, and of a comparison, where they travel over HTTP. */

const count = z.int().nonnegative()
const text = z.string()

const tokenClasses = z.object({ input: count, cacheWrite: count, cacheRead: count, output: count })

const runStatus = z.enum(runState.options.map(({ shape }) => shape.status.value))

const attempt = z.object({
  codonId: text,
  codonName: text,
  attempt: z.int().min(1),
  status: codonStatus,
  model: text,
  loop: z.object({ id: text, iteration: count }).exactOptional(),
  fromMs: z.number(),
  durationMs: z.number(),
  cost: z.number(),
  isCostUnknown: z.boolean(),
  tokens: tokenClasses,
  reason: text.exactOptional(),
  isUndone: z.boolean(),
})

export const reportRun: z.ZodType<ReportRun> = z.object({
  runId: text,
  status: runStatus,
  startTime: text,
  durationMs: z.number(),
  cost: z.number(),
  origin: z.enum(['fresh', 'resumed', 'rolled-back']),
  after: text.exactOptional(),
  reason: text.exactOptional(),
  attempts: z.array(attempt),
})

export const reportTotals: z.ZodType<ReportTotals> = z.object({
  cost: z.number(),
  isCostUnknown: z.boolean(),
  sentinelCost: z.number(),
  durationMs: z.number(),
  tokens: tokenClasses,
  codonsDone: count,
  attempts: count,
})

export const reportSetting: z.ZodType<ReportSetting> = z.object({ field: text, value: text, origin: text })

const tokenClass = z.enum(['input', 'output', 'cacheWrite', 'cacheRead'])
/** As `weave report --costs --json` prints it. */
export const costs = z.object({
  codons: z.array(
    z.object({
      codonId: text,
      codonName: text,
      model: text,
      provider: text.exactOptional(),
      attempts: count,
      cost: z.number(),
      costUnknown: z.boolean(),
      classes: z.array(
        z.object({
          class: tokenClass,
          tokens: count,
          price: z.number().exactOptional(),
          dollars: z.number().exactOptional(),
        }),
      ),
      prices: z.object({ source: text, date: text.exactOptional(), hasTiers: z.boolean() }).exactOptional(),
    }),
  ),
  sentinels: z.array(
    z.object({
      codonId: text,
      sentinelId: text,
      cost: z.number(),
      costUnknown: z.boolean(),
      calls: count,
      tokens: tokenClasses.pick({ input: true, output: true }),
    }),
  ),
  totals: z.object({ codons: z.number(), sentinels: z.number(), all: z.number() }),
  costUnknown: z.boolean(),
})
export type CostList = Immutable<z.infer<typeof costs>>

const both = <Shape extends z.ZodType>(shape: Shape) => z.object({ left: shape, right: shape })

const facts = z.object({
  status: text,
  attempts: count,
  model: text,
  durationMs: z.number(),
  cost: z.number(),
  tokens: tokenCounts,
  messages: count,
  toolCalls: count,
  toolErrors: count,
  files: count.exactOptional(),
})

const step = z.object({ kind: z.enum(['say', 'tool', 'result']), text })

/** As `weave compare --json` prints it. */
export const comparison = z.object({
  sides: both(z.object({ name: text, at: text.exactOptional(), isLive: z.boolean() })),
  relation: z.enum(['same execution', 'fork of the other', 'source of the other', 'forks of one', 'none']),
  commonEvents: count.exactOptional(),
  head: z.array(both(text).extend({ what: z.enum(['hank', 'data', 'models', 'weave']), same: z.boolean() })),
  codons: z.array(
    z.object({
      codonId: text,
      left: facts.exactOptional(),
      right: facts.exactOptional(),
      same: z.boolean(),
    }),
  ),
  files: z
    .object({
      changed: count,
      files: z.array(
        z.object({
          path: text,
          status: text,
          additions: count.exactOptional(),
          deletions: count.exactOptional(),
          isBinary: z.boolean().exactOptional(),
        }),
      ),
    })
    .exactOptional(),
  conversation: z.array(
    z.object({
      codonId: text,
      same: count,
      onlyLeft: count,
      onlyRight: count,
      first: both(z.array(step)).extend({ at: count, from: count }).exactOptional(),
    }),
  ),
  totals: both(
    z.object({
      cost: z.number(),
      inherited: z.number(),
      tokens: tokenCounts,
      activeMs: z.number(),
      waitingMs: z.number(),
      parkedMs: z.number(),
      gatesMs: z.number(),
      events: count,
    }),
  ),
  same: z.boolean(),
})
export type ComparedExecutions = Immutable<z.infer<typeof comparison>>
