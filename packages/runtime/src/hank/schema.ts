import type { Immutable } from '@weave/protocol'
import * as z from 'zod'

/**
 * The shape of `hank.json`: one definition for the loader's first check, for the types and for the editor schema.
 * Rules between fields are not here but in `checks/`.
 */

const name = z.string().min(1)
const path = z.string().min(1)
const globs = z.array(z.string().min(1))
const paths = z
  .union([path, z.array(path).min(1)])
  .describe('One path or several, relative to the hank directory; several are joined in order.')

// Zero is allowed and warned of: nothing may be spent there.
const dollars = z.number().nonnegative()
const seconds = z.number().nonnegative()
const tokens = z.int().nonnegative()
const onExceeded = z
  .enum(['complete', 'fail'])
  .describe('What happens when a limit is hit; the nearest value wins: codon, loop, hank, then `complete`.')

const sharedBudget = z.strictObject({
  maxDollars: dollars.optional().describe('Ceiling in US dollars.'),
  maxTimeSeconds: seconds.optional().describe('Ceiling in seconds of active time.'),
  allocation: z
    .enum(['shared', 'proportional', 'proportional-strict'])
    .default('shared')
    .optional()
    .describe('How the dollars are shared among the children.'),
  shares: z
    .record(name, z.number().min(0).max(1))
    .optional()
    .describe('Child id to its share of the dollars, from 0 to 1; needs a proportional allocation.'),
  onExceeded: onExceeded.optional(),
})

const codonBudget = z.strictObject({
  maxDollars: dollars.optional().describe('Ceiling in US dollars; in a loop, per iteration.'),
  maxTimeSeconds: seconds.optional().describe('Ceiling in seconds of active time; in a loop, per iteration.'),
  maxOutputTokens: tokens.optional().describe('Ceiling of generated tokens.'),
  maxContextTokens: tokens.optional().describe('High-water mark of input plus output of one turn.'),
  onExceeded: onExceeded.optional(),
})

const allowFailure = z.boolean().default(false).optional().describe('A failure here does not fail the codon.')

const commandStep = z.strictObject({
  run: z.string().min(1).describe('A shell command.'),
  workingDirectory: z
    .enum(['project', 'lastCopied'])
    .default('project')
    .optional()
    .describe(
      '`project`: the execution directory. `lastCopied`: the target of the last copy, or its directory when it is a file.',
    ),
})

const copyOperation = z.strictObject({
  type: z.literal('copy'),
  copy: z.strictObject({
    from: path.describe('A file or directory, relative to the hank directory.'),
    to: path.describe('The full target path inside the agent workspace, with its final name.'),
  }),
  allowFailure,
})

const commandOperation = z.strictObject({
  type: z.literal('command'),
  command: commandStep,
  allowFailure,
})

export const rigOperation = z.discriminatedUnion('type', [copyOperation, commandOperation])

export const outputFiles = z.strictObject({
  copy: globs.min(1).describe('Globs over the agent workspace.'),
  beforeCopy: z
    .array(z.strictObject({ type: z.literal('command'), command: commandStep }))
    .optional()
    .describe('Commands run in the agent workspace before copying.'),
})

const reportToWebsocket = z.strictObject({
  lifecycle: z.boolean().optional(),
  errors: z.boolean().optional(),
  outputs: z.boolean().optional(),
  triggers: z.boolean().optional(),
})

export const sentinelAttachment = z.strictObject({
  sentinelConfig: z
    .union([path, z.record(z.string(), z.unknown())])
    .describe('A sentinel configuration file, relative to the hank directory, or the configuration itself.'),
  settings: z
    .strictObject({
      failCodonIfNotLoaded: z.boolean().default(false).optional(),
      outputPaths: z.strictObject({ logFile: path.optional(), lastValueFile: path.optional() }).optional(),
      reportToWebsocket: reportToWebsocket.optional(),
    })
    .optional(),
})

const retryConfig = z.strictObject({
  maxAttempts: z.int().min(1).max(10).default(3).optional().describe('Attempts in all, the first included.'),
  delayMs: z
    .number()
    .min(0)
    .max(60_000)
    .default(1_000)
    .optional()
    .describe('Wait before the second attempt.'),
  maxDelayMs: z.int().min(0).max(600_000).default(60_000).optional().describe('Longest computed wait.'),
})

const idleSeconds = z
  .int()
  .min(1)
  .max(1_800)
  .describe('Longest silence of the agent in seconds before its session is aborted.')

export const codon = z.strictObject({
  type: z.literal('codon').default('codon').optional(),
  id: name.describe('Unique in the hank.'),
  name: name.describe('Shown to people.'),
  description: z.string().optional(),
  model: name.optional().describe('Alias, full id, `provider/id` or `pi/provider/id`.'),
  continuationMode: z
    .enum(['fresh', 'continue-previous'])
    .describe('`fresh`: a new conversation. `continue-previous`: goes on with the previous one.'),
  promptFile: paths.optional(),
  promptText: z.string().optional().describe('The prompt itself; `promptFile` wins when both are there.'),
  appendSystemPromptFile: paths.optional(),
  appendSystemPromptText: z.string().optional(),
  rigSetup: z.array(rigOperation).optional().describe('Runs before the codon, in order.'),
  checkpointedFiles: globs
    .optional()
    .describe('Gitignore-style patterns of the files to version; `!` excludes.'),
  env: z
    .record(z.string().min(1), z.string())
    .optional()
    .describe('Variables for the agent and the rig commands.'),
  outputFiles: z.array(outputFiles).optional(),
  sentinels: z.array(sentinelAttachment).optional(),
  archiveOnSuccess: globs.optional().describe('Files that move to the archive after success.'),
  onFailure: z.enum(['abort', 'retry', 'ignore']).default('abort').optional(),
  retryConfig: retryConfig.optional(),
  exhaustWithPrompt: z
    .string()
    .min(1)
    .optional()
    .describe('Sent after each success until the context is full.'),
  maxExtensions: z.int().positive().default(100).optional(),
  autoCompact: z.boolean().default(false).optional(),
  shimIdleTimeout: idleSeconds.optional(),
  budget: codonBudget.optional(),
})

export const loop = z.strictObject({
  type: z.literal('loop'),
  id: name.describe('Unique in the hank.'),
  name: name.describe('Shown to people.'),
  description: z.string().optional(),
  terminateOn: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('iterationLimit'), limit: z.int().min(1) }),
    z.strictObject({ type: z.literal('contextExceeded') }),
  ]),
  codons: z.array(codon).min(1),
  budget: sharedBudget.optional(),
  archiveOnSuccess: globs.optional(),
})

const meta = z.strictObject({
  name: z.string(),
  version: z.string().describe('A semantic version.'),
  description: z.string().optional(),
  author: z.string().optional(),
})

export const overrides = z.strictObject({
  model: name.optional().describe('For codons that name none.'),
  dataHashTimeLimit: z.number().positive().optional().describe('Milliseconds for hashing the data.'),
  sentinel: z
    .strictObject({
      enablePersistence: z.boolean().optional(),
      healthCheckGracePeriodMs: z.number().min(0).optional(),
      waitForAllHealthChecks: z.boolean().optional(),
    })
    .optional(),
  shimIdleTimeout: idleSeconds.optional(),
  budget: sharedBudget.optional(),
})

/** Everything of the root but its items, which are checked one by one so that each error names its place. */
export const rootFields = {
  $schema: z.string().optional(),
  meta: meta.optional(),
  overrides: overrides.optional(),
  requirements: z.strictObject({ env: z.array(name).optional() }).optional(),
  globalSystemPromptFile: paths.optional(),
  globalSystemPromptText: z.string().optional(),
}

export const hankFile = z.strictObject({
  ...rootFields,
  hank: z
    .array(z.union([codon, loop]))
    .min(1)
    .describe('Codons and loops, run in order.'),
})

export type HankFile = Immutable<z.infer<typeof hankFile>>
export type Codon = Immutable<z.infer<typeof codon>>
export type Loop = Immutable<z.infer<typeof loop>>
export type HankItem = Codon | Loop
export type RigOperation = Immutable<z.infer<typeof rigOperation>>
export type OutputFiles = Immutable<z.infer<typeof outputFiles>>
export type SentinelAttachment = Immutable<z.infer<typeof sentinelAttachment>>
export type SharedBudget = Immutable<z.infer<typeof sharedBudget>>
export type CodonBudget = Immutable<z.infer<typeof codonBudget>>
