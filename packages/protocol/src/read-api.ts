import * as z from 'zod'
import { decidedBy, gateDecision } from './gates.ts'
import { batchPage, fleetPage } from './read-fleet.ts'
import { comparison, costs, reportRun, reportSetting, reportTotals } from './read-report.ts'
import { type Immutable, isoTime } from './values.ts'

/**
 * What the dashboard's host answers over plain HTTP: TABLE of addresses and shapes. Everything here only reads; what changes
 * something goes over the socket. `…/find` answers numbers, `…/file` bytes, `…/report` a page: they have no shape here.
 */

const count = z.int().nonnegative()
const seq = z.int().min(1)
const text = z.string()
/** Milliseconds since 1970. */
const moment = z.number()

/** Every code with the status of its answer. */
export const readErrors = {
  BAD_REQUEST: 400,
  NO_SESSION: 401,
  FORBIDDEN: 403,
  KEY_USED: 403,
  KEY_UNKNOWN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_BEGUN: 409,
  UNREADABLE: 409,
  TOO_MANY_KEYS: 429,
  BUSY: 503,
} as const
export type ReadErrorCode = keyof typeof readErrors

const codes = z.enum(Object.keys(readErrors) as [ReadErrorCode, ...ReadErrorCode[]])
const readError = z.object({ error: codes, message: text })
export type ReadError = Immutable<z.infer<typeof readError>>

const hello = z.object({
  product: z.literal('weave'),
  version: text,
  /** All executions below a directory; otherwise one run shows itself. */
  hub: z.boolean(),
  readonly: z.boolean(),
  /** Who started it has a fleet, so `/api/fleet` is answered. */
  fleet: z.boolean(),
})
export type Hello = Immutable<z.infer<typeof hello>>

/** The body of `POST /api/session`. */
export const sessionRequest = z.strictObject({ key: text.max(200) })

const session = z.object({
  session: text,
  mode: z.enum(['readandwrite', 'readonly']),
  /** Put off by every use. */
  expiresAt: isoTime,
})
export type WebSession = Immutable<z.infer<typeof session>>

/** The body of `POST /api/links`, for whoever has the owner's key. */
export const linkRequest = z.strictObject({
  execution: text.max(300).exactOptional(),
  /** For people to copy: it is good for longer. */
  printed: z.boolean().exactOptional(),
})
export type LinkRequest = Immutable<z.infer<typeof linkRequest>>

const link = z.object({ url: text, expiresAt: isoTime })
export type WebLink = Immutable<z.infer<typeof link>>

const executionStatus = z.enum(['new', 'running', 'completed', 'stopped', 'failed', 'crashed', 'unreadable'])
export type ExecutionStatus = z.infer<typeof executionStatus>

const forkedFrom = z.object({ name: text, codonId: text, sha: text })

const executionRow = z.object({
  name: text,
  hank: text,
  /** Empty when there is none. */
  data: text,
  status: executionStatus,
  /** A server is at work in it. */
  live: z.boolean(),
  /** Where it waits for a person. */
  waits: z.object({ gate: text, since: isoTime, seq }).exactOptional(),
  codonsDone: count,
  /** Of the plan, loops with their limit, and never fewer than are done; 0: not known. */
  codons: count,
  /** Its own, sentinels included; what it inherited is apart. */
  cost: z.number(),
  costUnknown: z.boolean(),
  sentinelCost: z.number(),
  inheritedCost: z.number().exactOptional(),
  startedAt: isoTime,
  lastEventAt: isoTime.exactOptional(),
  /** Of late: in the newest 256 KiB of its journal. */
  warnings: count,
  breaches: count,
  rehearsal: z.boolean(),
  origin: forkedFrom.exactOptional(),
  /** What is amiss with it, for people. */
  problem: text.exactOptional(),
})
export type ExecutionRow = Immutable<z.infer<typeof executionRow>>

/** Live ones first, then the newest. With `wait` and `since` the answer comes when the tag is another one, or in time. */
const executionList = z.object({ etag: text, executions: z.array(executionRow) })
export type ExecutionList = Immutable<z.infer<typeof executionList>>

const limit = z.object({
  currency: z.enum(['dollars', 'seconds', 'output-tokens', 'context-tokens']),
  limit: z.number(),
  used: z.number().exactOptional(),
  /** Whose it is: `codon`, `loop`, `hank`, or the setting it came from. */
  source: text,
  onExceeded: z.enum(['complete', 'fail']).exactOptional(),
})
export type PlanLimit = Immutable<z.infer<typeof limit>>

const outlineCodon = z.object({
  kind: z.literal('codon'),
  id: text,
  name: text,
  model: text,
  limits: z.array(limit),
  /** Names of variables, never their values. */
  environment: z.array(text),
  sentinels: z.array(text),
})

const outlineLoop = z.object({
  kind: z.literal('loop'),
  id: text,
  name: text,
  /** Null: until the context is full. */
  limit: z.int().nullable(),
  codons: z.array(outlineCodon),
  limits: z.array(limit),
})

/** The most that a run can use, but for what is under way when a limit is reached; or why nothing bounds it. */
const worstCase = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('bounded'), amount: z.number() }),
  z.object({ kind: z.literal('unbounded'), reasons: z.array(text) }),
])
export type WorstUse = Immutable<z.infer<typeof worstCase>>

const outline = z.object({
  hankName: text,
  items: z.array(z.discriminatedUnion('kind', [outlineCodon, outlineLoop])),
  /** Of the whole hank. */
  limits: z.array(limit),
  /** As it stood at the start. */
  worst: z.object({ dollars: worstCase, seconds: worstCase }),
})
export type PlanOutline = Immutable<z.infer<typeof outline>>

const gates = z.object({
  planned: z.array(
    z.object({
      id: text,
      before: text.exactOptional(),
      after: text.exactOptional(),
      message: text.exactOptional(),
      timeoutSeconds: z.number().exactOptional(),
    }),
  ),
  waiting: z
    .object({
      seq,
      since: isoTime,
      gateId: text,
      codonId: text.exactOptional(),
      next: text.exactOptional(),
      message: text.exactOptional(),
      files: z.array(z.object({ path: text, action: text })),
      checkpoint: text.exactOptional(),
      deadline: isoTime.exactOptional(),
      round: z.int().min(1),
    })
    .exactOptional(),
  /** Holds that the run has not come to. */
  armed: z.array(
    z.object({
      gateId: text,
      before: text.exactOptional(),
      after: text.exactOptional(),
      message: text.exactOptional(),
    }),
  ),
  /** Newest first. */
  past: z.array(
    z.object({
      gateId: text,
      /** 0: the run never came to wait there. */
      waitingSeq: count,
      time: isoTime,
      decision: gateDecision,
      by: decidedBy,
      note: text.exactOptional(),
      waitedMs: z.number(),
    }),
  ),
})
export type GateList = Immutable<z.infer<typeof gates>>

const rule = z.object({
  id: text,
  do: z.enum(['notify', 'hold', 'stop']),
  message: text.exactOptional(),
  /** The `seq` of each `rule.fired`, the newest last. */
  fired: z.array(seq),
})

const head = z.object({
  name: text,
  id: text.exactOptional(),
  dir: text,
  hank: z.object({ name: text, path: text, data: text.exactOptional() }),
  status: executionStatus,
  reason: text.exactOptional(),
  live: z.boolean(),
  rehearsal: z.boolean(),
  createdAt: isoTime,
  weaveVersion: text,
  origin: forkedFrom.exactOptional(),
  inheritedCost: z.number().exactOptional(),
  lastSeq: count,
  /** Absent before it has begun. */
  outline: outline.exactOptional(),
  runs: z.array(reportRun),
  totals: reportTotals,
  gates,
  rules: z.array(rule),
  settings: z.array(reportSetting),
  /** What a reader should know of the record itself. */
  notes: z.array(text),
})
export type ExecutionHead = Immutable<z.infer<typeof head>>

const damage = z.object({ kind: z.enum(['damaged', 'missing', 'doubled']), count, message: text })

/**
 * Events as they travel on the socket. Seqs of a sound journal have no gaps. An answer is bounded in bytes too: then it has
 * fewer than were asked for, `isWhole` is false, and the rest is asked for from there.
 */
const eventPage = z.object({
  events: z.array(z.looseObject({ seq, type: text, timestamp: isoTime })),
  lastSeq: count,
  isWhole: z.boolean(),
  damage: z.array(damage),
})
export type EventPage = Immutable<z.infer<typeof eventPage>>

/** `to` is null while it lasts. Of a tool also its name, and whether it answered with an error. */
const span = z.union([
  z.tuple([moment, moment.nullable(), z.enum(['rig', 'agent', 'waiting', 'parked']), seq]),
  z.tuple([moment, moment.nullable(), z.literal('tool'), seq, text, z.boolean()]),
])
export type AttemptSpan = Immutable<z.infer<typeof span>>

const spanList = z.object({
  attempts: z.array(
    z.object({ runId: text, codonId: text, attempt: z.int().min(1), spans: z.array(span), leftOut: count }),
  ),
  lastSeq: count,
})
export type SpanList = Immutable<z.infer<typeof spanList>>

const seriesName = z.enum(['cost', 'tokens', 'context'])
export type SeriesName = z.infer<typeof seriesName>

const series = z.object({
  of: seriesName,
  /** Milliseconds in which runs went on, milliseconds since 1970, the value from then on, the event. */
  points: z.array(z.tuple([z.number(), moment, z.number(), seq])),
  breaches: z.array(
    z.object({
      activeMs: z.number(),
      time: moment,
      seq,
      currency: text,
      limit: z.number(),
      used: z.number(),
      scope: text,
      codonId: text.exactOptional(),
      onExceeded: text,
    }),
  ),
})
export type Series = Immutable<z.infer<typeof series>>

const checkpointRow = z.object({
  runId: text,
  /** Empty for the beginning. */
  codonId: text,
  codonName: text,
  type: text,
  status: text,
  sha: text,
  timestamp: text,
  /** Files that are different from the checkpoint before; absent when that was not counted. */
  files: count.exactOptional(),
  isUndone: z.boolean(),
})
export type CheckpointEntry = Immutable<z.infer<typeof checkpointRow>>
const checkpointList = z.object({ checkpoints: z.array(checkpointRow) })
export type CheckpointList = Immutable<z.infer<typeof checkpointList>>

const fileSide = z.object({ oid: text, size: count.exactOptional() })
const versionDiff = z.object({
  from: z.object({ label: text, sha: text }),
  to: z.object({ label: text, sha: text }),
  files: z.array(
    z.object({
      path: text,
      status: z.enum(['added', 'deleted', 'modified', 'type-changed', 'mode-changed']),
      additions: count.exactOptional(),
      deletions: count.exactOptional(),
      isBinary: z.boolean().exactOptional(),
      before: fileSide.exactOptional(),
      after: fileSide.exactOptional(),
    }),
  ),
  /** More files are different than are listed. */
  filesLeftOut: count,
  /** Of the file that `path` named: a unified diff. */
  patch: z.object({ text, isCut: z.boolean() }).exactOptional(),
})
export type VersionDiff = Immutable<z.infer<typeof versionDiff>>

const preview = z.object({
  label: text,
  sha: text,
  /** `trees`: the newest checkpoint against this one. `disk`: the files as they are. */
  by: z.enum(['trees', 'disk']),
  create: z.array(text),
  change: z.array(text),
  delete: z.array(text),
  /** More paths than are listed, of all three. */
  leftOut: count,
  /** Codons to be done again, newest first. */
  undone: z.array(text),
  next: z.object({ codonId: text, withoutRig: z.boolean() }).exactOptional(),
  /** Dollars of what is taken back: they stay spent. */
  staysSpent: z.number(),
})
export type WayBackPreview = Immutable<z.infer<typeof preview>>

/** Oldest first; with `after` those with a higher `seq`. */
const sentinelList = z.object({
  items: z.array(
    z.object({
      seq,
      time: isoTime,
      kind: z.enum(['output', 'error']),
      sentinelId: text,
      codonId: text,
      text,
      cost: z.number(),
    }),
  ),
  /** Older ones that are not here. */
  leftOut: count,
  lastSeq: count,
})
export type SentinelList = Immutable<z.infer<typeof sentinelList>>

export {
  type BatchPage,
  type FleetBatch,
  type FleetExecution,
  type FleetPage,
  type FleetState,
  type FleetThrottle,
  type FleetWorker,
  fleetStates,
} from './read-fleet.ts'
export type { ComparedExecutions, CostList } from './read-report.ts'

/** TABLE of answers; `:name` is an execution, `:batch` one of a fleet. All are GET but the two that a key buys. */
export const readApi = {
  error: { address: '*', answer: readError },
  hello: { address: '/api/hello', answer: hello },
  session: { address: '/api/session', answer: session },
  links: { address: '/api/links', answer: link },
  executions: { address: '/api/executions', answer: executionList },
  head: { address: '/api/e/:name', answer: head },
  events: { address: '/api/e/:name/events', answer: eventPage },
  spans: { address: '/api/e/:name/spans', answer: spanList },
  series: { address: '/api/e/:name/series', answer: series },
  checkpoints: { address: '/api/e/:name/checkpoints', answer: checkpointList },
  diff: { address: '/api/e/:name/diff', answer: versionDiff },
  preview: { address: '/api/e/:name/preview', answer: preview },
  costs: { address: '/api/e/:name/costs', answer: costs },
  sentinels: { address: '/api/e/:name/sentinels', answer: sentinelList },
  compare: { address: '/api/compare', answer: comparison },
  fleet: { address: '/api/fleet', answer: fleetPage },
  batch: { address: '/api/fleet/:batch', answer: batchPage },
} as const
