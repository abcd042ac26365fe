import type { Immutable } from '@weave/protocol'
import * as z from 'zod'

/**
 * The shape of a sentinel configuration : one definition for the loader, for the types and for the editor
 * schema. What is parsed with it has every default filled in. Rules between fields are in `sentinel-config.ts`.
 */

const text = z.string().min(1)
const file = text.describe('Relative to the directory of this file; inside the hank directory.')
const files = z
  .union([file, z.array(file).min(1)])
  .describe('One path or several, relative to the directory of this file; several are joined in order.')
// It is the name of a directory.
const idPattern = /^[a-z0-9-]{1,100}$/

const path = text.describe('A dotted path into the `data` of the event.')

const anything = z.unknown()
const list = z.array(anything).min(1)

function comparing<Operator extends string, Value extends z.ZodType>(operator: Operator, value: Value) {
  return z.strictObject({ operator: z.literal(operator), path, value })
}

const condition = z.discriminatedUnion('operator', [
  comparing('equals', anything),
  comparing('notEquals', anything),
  comparing('in', list),
  comparing('notIn', list),
  comparing('contains', anything),
  comparing('matches', text.describe('A regular expression.')),
  comparing('greaterThan', z.number()),
  comparing('lessThan', z.number()),
])

export const sentinelConditions = z.array(condition)
const on = z.array(text).min(1).describe('Event types; `*` stands for all.')

export const sentinelTrigger = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('event'), on, conditions: sentinelConditions.optional() }),
  z.strictObject({
    type: z.literal('sequence'),
    interestFilter: z.strictObject({ on }),
    pattern: z.array(z.strictObject({ type: text, conditions: sentinelConditions.optional() })).min(1),
    options: z
      .strictObject({
        consecutive: z.boolean().default(false).describe('Nothing of interest may come between two steps.'),
      })
      .prefault({}),
  }),
])

const execution = z.discriminatedUnion('strategy', [
  z.strictObject({ strategy: z.literal('immediate') }),
  z.strictObject({ strategy: z.literal('debounce'), milliseconds: z.int().min(1).max(300_000) }),
  z.strictObject({ strategy: z.literal('count'), threshold: z.int().min(1).max(1_000) }),
  z.strictObject({ strategy: z.literal('timeWindow'), milliseconds: z.int().min(1).max(3_600_000) }),
])

const conversational = z.strictObject({
  trimmingStrategy: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('maxTurns'), maxTurns: z.int().min(1).max(100) }),
    z.strictObject({ type: z.literal('maxTokens'), maxTokens: z.int().min(1).max(100_000) }),
  ]),
  continueOnError: z.boolean().optional(),
})

const structuredOutput = z.strictObject({
  output: z.enum(['object', 'array', 'enum']),
  schema: z.record(z.string(), z.unknown()).optional().describe('A JSON Schema.'),
  schemaFile: file.optional(),
  schemaStr: text.optional().describe('A JSON Schema as text.'),
  enumValues: z.array(text).min(1).optional(),
  schemaName: text.optional(),
  schemaDescription: z.string().optional(),
})

export const sentinelConfig = z.strictObject({
  $schema: z.string().optional(),
  id: z
    .string()
    .refine(id => idPattern.test(id), 'must consist of 1 to 100 lower-case letters, digits and -')
    .meta({ pattern: idPattern.source, description: 'Lower-case letters, digits and `-`.' }),
  name: text,
  description: z.string().optional(),
  model: text.describe('Resolved like the model of a codon.'),
  trigger: sentinelTrigger,
  execution,
  systemPromptFile: files.optional(),
  systemPromptText: text.optional(),
  userPromptFile: files.optional(),
  userPromptText: text.optional(),
  conversational: conversational.optional(),
  structuredOutput: structuredOutput.optional(),
  output: z
    .strictObject({
      format: z.enum(['text', 'jsonl']).default('text'),
      file: text.optional(),
      lastValueFile: text.optional(),
    })
    .optional()
    .describe('A file with `/` lies in the agent workspace, a bare name in the directory of the sentinel.'),
  joinString: z.string().default('\n---\n').describe('Between two outputs; text only.'),
  llmParams: z
    .strictObject({
      temperature: z.number().min(0).max(2).default(0),
      maxOutputTokens: z.int().min(1).max(100_000).default(8_192),
      maxRetries: z.int().min(0).max(5).default(2),
    })
    .prefault({}),
  errorHandling: z
    .strictObject({
      maxConsecutiveFailures: z.int().min(1).default(3),
      unloadOnFatalError: z.boolean().default(true),
    })
    .prefault({}),
  reportToWebsocket: z
    .strictObject({
      lifecycle: z.boolean().default(true),
      errors: z.boolean().default(true),
      outputs: z.boolean().default(true),
      triggers: z.boolean().default(false),
    })
    .prefault({}),
})

export type SentinelConfig = Immutable<z.infer<typeof sentinelConfig>>
export type SentinelCondition = Immutable<z.infer<typeof condition>>
