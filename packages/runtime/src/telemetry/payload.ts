import * as z from 'zod'

/**
 * TABLE of what telemetry may say. Every value is a number, a yes or no, one of a few words, or the version of a program:
 * there is no place in it for a text that a person or an agent wrote. `docs/telemetry.md` is tested against it.
 */
const failureType = z.enum(['timeout', 'rate-limit', 'api-error', 'sentinel-load-failure', 'unknown'])

function count(description: string) {
  return z.int().nonnegative().describe(description)
}

const facts = {
  version: z.literal(1).describe('of this list of fields'),
  session: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('random, made anew at every start and stored nowhere: it joins the two payloads of one start'),
  day: z.iso.date().describe('in UTC; no time of day'),
  weaveVersion: z
    .string()
    .regex(/^\d+\.\d+\.\d+(?:-[\w.]{1,30})?$/)
    .describe('version of weave'),
  node: z
    .string()
    .regex(/^\d+\.\d+$/)
    .describe('major and minor version of Node'),
  platform: z.enum(['linux', 'darwin', 'win32', 'other']).describe('`linux`, `darwin`, `win32` or `other`'),
  arch: z.enum(['x64', 'arm64', 'other']).describe('kind of processor: `x64`, `arm64` or `other`'),
  isRehearsal: z.boolean().describe('the model was a script'),
  isResumed: z.boolean().describe('the execution had runs before'),
  codons: count('codons in the hank'),
  loops: count('loops in the hank'),
  sentinels: count('sentinels attached to codons'),
  harnesses: z
    .array(z.enum(['sdk', 'embedded', 'acp']))
    .describe('which kinds of agent the codons use: `sdk`, `embedded`, `acp`'),
  providers: z
    .array(z.enum(['anthropic', 'openai', 'google', 'openrouter', 'other']))
    .describe(
      'whose models the codons use: `anthropic`, `openai`, `google`, `openrouter`; all others are `other`',
    ),
}

const started = z.strictObject({
  event: z.literal('run-started').describe('`run-started` or `run-ended`'),
  ...facts,
})

const ended = z.strictObject({
  event: z.literal('run-ended').describe('`run-started` or `run-ended`'),
  ...facts,
  status: z.enum(['completed', 'failed', 'stopped']).describe('`completed`, `failed` or `stopped`'),
  seconds: count('from start to end'),
  codonsEnded: count('attempts at codons that ended'),
  retries: count('attempts after a failure'),
  rollbacks: count('rollbacks that were completed'),
  budgetStops: count('limits that were reached'),
  failures: z
    .partialRecord(failureType, z.int().nonnegative())
    .describe(
      'how many codons failed, by the type of the failure: `timeout`, `rate-limit`, `api-error`, `sentinel-load-failure` or `unknown`',
    ),
})

export const telemetryPayload = z.discriminatedUnion('event', [started, ended])
export type TelemetryPayload = z.infer<typeof telemetryPayload>
export type FailureType = z.infer<typeof failureType>

/** What is known when a run starts, but for the day. */
export type PayloadFacts = Readonly<Omit<z.infer<typeof started>, 'event' | 'day' | 'version' | 'session'>>

/** Every field with its meaning, and whether it is only there at the end. */
export const payloadFields: readonly {
  readonly name: string
  readonly meaning: string
  readonly isOnlyAtEnd: boolean
}[] = Object.entries(ended.shape).map(([name, schema]) => ({
  name,
  meaning: schema.description ?? '',
  isOnlyAtEnd: !Object.hasOwn(started.shape, name),
}))
