import type { Immutable } from '@weave/protocol'
import * as z from 'zod'
import { gateAnswerForm } from './scripted-gates.ts'

/** The shape of `rehearsal.json`: what the scripted model answers, one step per request. */

const usage = z
  .strictObject({
    input: z.int().nonnegative().optional(),
    output: z.int().nonnegative().optional(),
    cacheRead: z.int().nonnegative().optional(),
    cacheWrite: z.int().nonnegative().optional(),
  })
  .register(z.globalRegistry, { description: 'Tokens that this answer is charged with.' })

const any = {
  usage: usage.optional(),
  wait: z
    .number()
    .positive()
    .max(3_600_000)
    .optional()
    .register(z.globalRegistry, { description: 'Milliseconds before answering.' }),
}

const toolInputs = {
  read: z.strictObject({ path: z.string().min(1) }),
  write: z.strictObject({ path: z.string().min(1), content: z.string() }),
  edit: z.strictObject({ path: z.string().min(1), old: z.string().min(1), new: z.string() }),
  bash: z.strictObject({ command: z.string().min(1) }),
}

const use = <Name extends keyof typeof toolInputs>(name: Name, summary: string) =>
  z
    .strictObject({ use: z.literal(name), input: toolInputs[name], ...any })
    .register(z.globalRegistry, { description: summary })

const rehearsalStep = z.union([
  use('read', 'The model reads a file.'),
  use('write', 'The model writes a file.'),
  use('edit', 'The model replaces a piece of a file.'),
  use('bash', 'The model runs a shell command.'),
  z
    .strictObject({
      call: z.strictObject({ name: z.string().min(1), input: z.record(z.string(), z.unknown()).optional() }),
      ...any,
    })
    .register(z.globalRegistry, {
      description: 'The model calls a tool that not every agent has, such as one of an MCP server.',
    }),
  z
    .strictObject({ say: z.string(), ...any })
    .register(z.globalRegistry, { description: 'The model answers and ends its turn.' }),
  z
    .strictObject({ think: z.string(), say: z.string().optional(), ...any })
    .register(z.globalRegistry, { description: 'The model thinks, and may answer.' }),
  z
    .strictObject({
      fail: z.strictObject({
        status: z.int().min(400).max(599),
        message: z.string().optional(),
        retryAfter: z.number().positive().optional().register(z.globalRegistry, { description: 'Seconds.' }),
      }),
      ...any,
    })
    .register(z.globalRegistry, { description: 'The provider answers with an error.' }),
  z
    .strictObject({ overflow: z.literal(true), ...any })
    .register(z.globalRegistry, { description: 'The provider says that the context is full.' }),
  z
    .strictObject({ hang: z.number().positive().max(86_400), ...any })
    .register(z.globalRegistry, { description: 'Nothing is answered for so many seconds.' }),
  z
    .strictObject({ drop: z.literal(true), ...any })
    .register(z.globalRegistry, { description: 'The connection is cut.' }),
  z
    .strictObject({ wait: z.number().positive().max(3_600_000) })
    .register(z.globalRegistry, { description: 'Milliseconds before the next step is answered.' }),
])

export const rehearsalScript = z.strictObject({
  $schema: z.string().optional(),
  codons: z.record(z.string().min(1), z.array(rehearsalStep).min(1)).optional().register(z.globalRegistry, {
    description: 'Codon id, runtime id (`review#1`) or `*` to the steps of its model.',
  }),
  sentinels: z
    .record(z.string().min(1), z.array(z.string()).min(1))
    .optional()
    .register(z.globalRegistry, { description: 'Sentinel id to its outputs, in order.' }),
  gates: z
    .record(
      z.string().min(1),
      z
        .array(
          z.string().regex(gateAnswerForm, 'expected approve, reject, or one of them with ": " and a note'),
        )
        .min(1),
    )
    .optional()
    .register(z.globalRegistry, {
      description: 'Gate id to the answers of a person, in order: `approve`, `reject: too short`.',
    }),
})

export type RehearsalStep = Immutable<z.infer<typeof rehearsalStep>>

export type RehearsalScript = Immutable<z.infer<typeof rehearsalScript>>
