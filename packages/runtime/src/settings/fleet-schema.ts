import * as z from 'zod'

/** The shape of `fleet` in `weave.json`. Takes long to set up: only `schema.ts` imports it. */

const word = z.string().min(1)

export const fleet = z
  .strictObject({
    url: word
      .optional()
      .describe(
        'The PostgreSQL that all share, such as `postgres://user@host/database`; `WEAVE_FLEET_URL` wins.',
      ),
    store: word
      .optional()
      .describe(
        'Where objects lie: `pg:`, `s3://bucket/prefix`, or `file:` with a folder; `WEAVE_FLEET_STORE` wins.',
      ),
    key: word
      .optional()
      .describe(
        'A file that only you may read, with 32 bytes as 64 hexadecimal digits or base64: objects are encrypted with it; `WEAVE_FLEET_KEY` wins.',
      ),
    root: word.optional().describe('Where workers work: the same path on every machine.'),
    postgres: word
      .optional()
      .describe(
        'The folder of `initdb` and `postgres` for an engine of your own; `WEAVE_FLEET_POSTGRES` wins.',
      ),
    slots: z
      .int()
      .min(1)
      .max(256)
      .optional()
      .describe('How many executions a worker runs at once; default: as many as cores, at most 4.'),
    pools: z
      .array(z.string().regex(/^[a-z0-9-]{1,40}$/, 'expected 1 to 40 small letters, digits and hyphens'))
      .min(1)
      .optional()
      .describe('From which pools a worker takes; default: `default`.'),
    lease: z
      .int()
      .min(10)
      .max(600)
      .optional()
      .describe('A worker that is silent for so many seconds is taken over from; default 120.'),
    poll: z.number().min(0.1).max(60).optional().describe('Seconds between two looks for work; default 2.'),
    turnHours: z
      .number()
      .positive()
      .max(23)
      .optional()
      .describe('A turn ends at the first codon after so many hours, so that others come in; default 6.'),
    parkMinutes: z
      .number()
      .positive()
      .max(1_440)
      .optional()
      .describe(
        'How long a codon waits for a place at its provider, or for money, before others get its slot; default 10.',
      ),
    freezeMinutes: z
      .number()
      .positive()
      .max(1_440)
      .optional()
      .describe('How long agents stand still while the engine is away before they are ended; default 15.'),
    maxBarren: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('So many starts in a row without progress, and an execution is dead; default 3.'),
    rest: z
      .strictObject({
        limitMB: z
          .number()
          .nonnegative()
          .max(4_096)
          .optional()
          .describe('So many megabytes of such files move; default 512.'),
        files: z
          .int()
          .nonnegative()
          .max(10_000_000)
          .optional()
          .describe('So many of them move; default 100000.'),
        exclude: z
          .array(word)
          .optional()
          .describe('Those that never move, by the rules of gitignore, such as `node_modules/`.'),
      })
      .optional()
      .describe('What moves of files of the workspace that no codon checkpoints.'),
    tailSeconds: z
      .number()
      .min(1)
      .max(600)
      .optional()
      .describe('How old what `weave fleet logs -f` shows may be while somebody looks on; default 20.'),
    metrics: word
      .optional()
      .describe(
        'Where a worker has a page of figures for Prometheus: a port of this machine, or `host:port` for other machines.',
      ),
    retainDays: z
      .int()
      .min(1)
      .optional()
      .describe('How long what has ended is kept by `weave fleet gc`; default 30.'),
    breaker: z
      .strictObject({
        window: z.int().min(1).max(1_000).optional().describe('Of so many ends; default 20.'),
        share: z.number().positive().max(1).optional().describe('Such a share; default 0.5.'),
      })
      .optional()
      .describe('A batch is paused when this share of its last ends failed for one reason.'),
  })
  .describe('The fleet: `weave submit`, `weave worker` and `weave fleet`.')

export type FleetSetting = z.infer<typeof fleet>
