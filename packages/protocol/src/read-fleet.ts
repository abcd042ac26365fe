import * as z from 'zod'
import { type Immutable, isoTime } from './values.ts'

/** What the hub answers about the fleet of the person who started it. Part of the TABLE in `read-api.ts`. */

const count = z.int().nonnegative()
const text = z.string()
const dollars = z.number().nonnegative()

/** In the order in which people look for them. */
export const fleetStates = [
  'running',
  'queued',
  'waiting',
  'succeeded',
  'failed',
  'dead',
  'cancelled',
] as const
export type FleetState = (typeof fleetStates)[number]

/** When there is nothing to show, and that is no mistake of who asks. */
const absent = [
  /** It is the engine of this person, and nobody has it up; a page never starts it. `isNew`: there is none yet. */
  z.object({ state: z.literal('resting'), isNew: z.boolean() }),
  /** It cannot be looked at: a package is missing, or the engine cannot be reached. Both texts are for people. */
  z.object({ state: z.literal('away'), message: text, cure: text }),
] as const

const batch = z.object({
  id: text,
  name: text,
  state: z.enum(['open', 'paused', 'closed']),
  pauseReason: text.nullable(),
  pool: text,
  priority: z.int(),
  weight: z.int(),
  maxRunning: z.int().nullable(),
  notBefore: isoTime.nullable(),
  submittedBy: text.nullable(),
  created: isoTime,
  /** Its costs are simulated. A fleet of before does not say. */
  isRehearsal: z.boolean().optional(),
  /** How many executions are in each state; those without any are left out. */
  counts: z.partialRecord(z.enum(fleetStates), count),
  codonsDone: count,
  spentDollars: dollars,
  /** False: some of it has no known price, so it was more. */
  isCostKnown: z.boolean(),
  lentDollars: dollars,
  doubtDollars: dollars,
  /** Null: there is none. */
  ceilingDollars: dollars.nullable(),
  endsPerHour: z.number().nullable(),
  /** When the last one will end at that rate. */
  forecast: isoTime.nullable(),
  /** What those wait for that wait, with their number. */
  waits: z.record(text, count),
})
export type FleetBatch = Immutable<z.infer<typeof batch>>

const worker = z.object({
  id: text,
  host: text,
  version: text,
  pools: z.array(text),
  slots: count,
  busy: count,
  state: z.enum(['working', 'draining', 'silent']),
  started: isoTime,
  /** Seconds since it was heard of. */
  silence: z.number(),
  /** How far its clock is ahead of the engine's. */
  skewMs: z.number().nullable(),
})
export type FleetWorker = Immutable<z.infer<typeof worker>>

const throttle = z.object({
  /** A provider, or one of its models: `provider/model`. */
  key: text,
  running: count.nullable(),
  rpm: z.number().nullable(),
  tpm: z.number().nullable(),
  /** Requests a minute at the moment. */
  limitNow: z.number().nullable(),
  /** Seconds until somebody may send again. */
  blockedSeconds: count,
  refusals: count,
})
export type FleetThrottle = Immutable<z.infer<typeof throttle>>

export const fleetPage = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('up'),
    /** Those that are not closed first, then the newest; at most 50. */
    batches: z.array(batch),
    batchesLeftOut: count,
    /** At most 200. */
    workers: z.array(worker),
    workersLeftOut: count,
    throttles: z.array(throttle),
  }),
  ...absent,
])
export type FleetPage = Immutable<z.infer<typeof fleetPage>>

const execution = z.object({
  id: text,
  n: z.int().min(1),
  name: text,
  state: z.enum(fleetStates),
  reason: text.nullable(),
  /** How many turns began. */
  starts: count,
  worker: text.nullable(),
  /** The one that was published last. */
  codon: text.nullable(),
  codonsDone: count,
  dollars,
  /** The largest folders of its workspace that do not move with it, at most five. */
  leftBehind: z.array(z.object({ path: text, bytes: count })),
  started: isoTime.nullable(),
  ended: isoTime.nullable(),
  /** Its newest head; 0: nothing of it was published yet, so nothing can be pulled. */
  headSeq: count,
  /** It was pulled, and is among the executions of this host under its id. */
  isHere: z.boolean(),
})
export type FleetExecution = Immutable<z.infer<typeof execution>>

/** With `state` only those in that state; with `after` those with a higher number; at most `limit`, 500. */
export const batchPage = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('up'),
    batch,
    /** The most common reason first, at most 20, with their first executions. */
    failures: z.array(z.object({ state: text, reason: text, count, executions: z.array(text) })),
    executions: z.array(execution),
    /** How many more fit and have a higher number. */
    left: count,
  }),
  ...absent,
])
export type BatchPage = Immutable<z.infer<typeof batchPage>>
