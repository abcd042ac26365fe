import * as z from 'zod'

/**
 * What `~/.weave/notify.json` may say: whom a person wants to be told, of what. One definition for the checks and for the
 * editor schema. Takes long to set up: import it only with `import()`.
 */
export const noticeTypes = [
  'gate.waiting',
  'gate.expiring',
  'run.ended',
  'codon.failed',
  'budget.near',
  'budget.exceeded',
  'run.parked',
  'rule.fired',
  'batch.paused',
] as const

const webhookFormats = ['weave', 'slack', 'discord', 'ntfy'] as const

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable')

const everyTarget = {
  on: z
    .array(z.enum(noticeTypes))
    .min(1)
    .optional()
    .describe(
      'What is told; otherwise gates that wait or expire, the end of runs, limits that are reached, and batches that a fleet paused.',
    ),
  hanks: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .optional()
    .describe('Patterns for names of hanks; otherwise all.'),
}

/** Elsewhere than on this machine only over a connection that others cannot read. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

const desktop = z
  .strictObject({ type: z.literal('desktop'), ...everyTarget })
  .describe('A notification of the desktop.')

const terminal = z
  .strictObject({ type: z.literal('terminal'), ...everyTarget })
  .describe('A bell and a notification of the terminal in which the run is shown.')

const webhook = z
  .strictObject({
    type: z.literal('webhook'),
    url: z
      .string()
      .refine(isSafeAddress, 'https, or http to this machine, without a user in it')
      .describe('Where it is sent: https, or http to this machine.'),
    secretEnv: variable.optional().describe('The variable with the secret that signs, as `whsec_…`.'),
    format: z.enum(webhookFormats).optional().describe('For whom the body is; `weave` unless said.'),
    headersEnv: z
      .record(z.string().regex(/^[A-Za-z0-9-]+$/), variable)
      .optional()
      .describe('More headers, and the variables that hold their values.'),
    ...everyTarget,
  })
  .describe('A POST to an address.')

const command = z
  .strictObject({
    type: z.literal('command'),
    run: z.array(z.string().min(1)).min(1).max(50).describe('A program and its arguments; no shell.'),
    timeoutSeconds: z.int().min(1).max(60).optional().describe('It is ended after so long; 10 unless said.'),
    ...everyTarget,
  })
  .describe('A program that gets the notification as JSON on its stdin.')

export const notifyTarget = z.discriminatedUnion('type', [desktop, terminal, webhook, command])

export const notifyFile = z.strictObject({
  $schema: z.string().optional(),
  link: z
    .boolean()
    .optional()
    .describe('Whether notifications name the page of the run, where there is one.'),
  targets: z.array(notifyTarget).max(10).describe('Who is told.'),
})
