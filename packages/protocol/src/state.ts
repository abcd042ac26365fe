import * as z from 'zod'
import {
  budgetBreach,
  checkpointType,
  dollars,
  failureReason,
  type Immutable,
  isoTime,
  liveCodonStatus,
  loopContext,
  processExit,
  sentinelState,
  tokenCounts,
} from './values.ts'

/**
 * What an execution is at one moment. Nothing computes a state but `reduce`; each status carries only what it may
 * have: a running codon has no end, a failed one always has its reason.
 */

const codonRecord = z.object({
  codonId: z.string().register(z.globalRegistry, {
    description: 'runtime id: the codon id, with `#n` for iteration n of a loop',
  }),
  codonName: z.string(),
  startTime: isoTime,
  attempt: z.int().min(1),
  loopContext: loopContext.optional(),
  previousSessionId: z.string().optional(),
  model: z.string(),
  cost: dollars,
  costUnknown: z
    .literal(true)
    .optional()
    .register(z.globalRegistry, { description: 'some usage had no known price; `cost` is the known part' }),
  tokens: tokenCounts,
  assistantMessageCount: z.int().nonnegative(),
  extensionCount: z.int().nonnegative(),
  checkpoints: z.partialRecord(checkpointType, z.string()),
  sentinels: z.array(sentinelState).optional(),
})

const sessionMaybe = { sessionId: z.string().optional() }
const ended = { ...sessionMaybe, endTime: isoTime, budgetExceeded: budgetBreach.optional() }

export const codonExecution = z.discriminatedUnion('status', [
  codonRecord.extend({ status: z.literal('preparing') }),
  codonRecord.extend({ status: z.literal('starting') }),
  codonRecord.extend({ status: z.literal('initializing'), ...sessionMaybe }),
  codonRecord.extend({ status: z.literal('running'), sessionId: z.string() }),
  codonRecord.extend({ status: z.literal('completing-sentinels'), ...sessionMaybe }),
  codonRecord.extend({
    status: z.literal('completed'),
    ...ended,
    exitStatus: processExit,
    contextExceeded: z.boolean().optional(),
  }),
  codonRecord.extend({
    status: z.literal('failed'),
    ...ended,
    exitStatus: processExit,
    failureReason,
    failedDuring: liveCodonStatus,
    contextExceeded: z.boolean().optional(),
  }),
  codonRecord.extend({ status: z.literal('skipped'), ...ended, exitStatus: processExit.optional() }),
])
export type CodonExecution = Immutable<z.infer<typeof codonExecution>>

export const startedFrom = z.discriminatedUnion('type', [
  z.object({ type: z.literal('fresh') }),
  z.object({
    type: z.literal('continuation'),
    runId: z.string(),
    codonId: z.string().optional(),
    checkpoint: z.string().optional(),
  }),
])

const runRecord = z.object({
  runId: z.string(),
  startTime: isoTime,
  gitBranch: z.string(),
  startedFrom,
  initialCheckpoint: z.string().optional(),
  codons: z
    .array(codonExecution)
    .register(z.globalRegistry, { description: 'in order of their start; a retry appends a record' }),
  cost: dollars.describe('codons and sentinels of this run'),
})

export const runState = z.discriminatedUnion('status', [
  runRecord.extend({ status: z.literal('running') }),
  runRecord.extend({ status: z.literal('completed'), endTime: isoTime }),
  runRecord.extend({ status: z.literal('stopped'), endTime: isoTime, reason: z.string().optional() }),
  runRecord.extend({ status: z.literal('failed'), endTime: isoTime, reason: z.string() }),
  runRecord.extend({ status: z.literal('crashed'), endTime: isoTime }),
])
export type RunState = Immutable<z.infer<typeof runState>>
export type RunStatus = RunState['status']

export const weaveState = z.object({
  currentRunId: z
    .string()
    .nullable()
    .register(z.globalRegistry, { description: 'the run started last; null before the first' }),
  runs: z.array(runState),
  totalCost: dollars.describe('all runs: money of rolled-back codons stays spent'),
})
export type WeaveState = Immutable<z.infer<typeof weaveState>>

export const emptyState: WeaveState = { currentRunId: null, runs: [], totalCost: 0 }

/** The short form that travels with every `state.transition`. */
export const stateSummary = z.object({
  currentRunId: z.string().nullable(),
  runCount: z.int().nonnegative(),
  totalCost: dollars,
  currentRunCost: dollars,
})
export type StateSummary = Immutable<z.infer<typeof stateSummary>>
