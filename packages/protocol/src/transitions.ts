import * as z from 'zod'
import { startedFrom } from './state.ts'
import {
  budgetBreach,
  checkpointType,
  dollars,
  failureReason,
  type Immutable,
  isoTime,
  loopContext,
  processExit,
  sentinelState,
  tokenCounts,
} from './values.ts'

/**
 * TABLE of the 13 transition types. Everything that changes a state is one of these; `reduce` has one entry for each.
 * A transition carries its own times and ids, so that folding the same list always gives the same state.
 */

const run = { runId: z.string() }
const codon = { codonId: z.string() }
const costUnknown = z.literal(true).optional()

const codonEnd = { ...codon, endTime: isoTime, budgetExceeded: budgetBreach.optional() }

export const transitions = {
  RunStarted: z.object({ ...run, startTime: isoTime, gitBranch: z.string(), startedFrom }),
  RunCompleted: z.object({
    ...run,
    endTime: isoTime,
    outcome: z.enum(['completed', 'stopped']).register(z.globalRegistry, {
      description: '`stopped`: a person, a signal or a rollback ended the run',
    }),
    reason: z.string().optional(),
  }),
  RunFailed: z.object({ ...run, endTime: isoTime, reason: z.string(), codonId: z.string().optional() }),
  RunCrashed: z.object({ ...run, endTime: isoTime.describe('when the crash was noticed') }),
  CodonStarted: z.object({
    ...codon,
    codonName: z.string(),
    attempt: z.int().min(1),
    startTime: isoTime,
    model: z.string(),
    loopContext: loopContext.optional(),
    previousSessionId: z.string().optional(),
  }),
  CodonTransitioned: z.discriminatedUnion('to', [
    z.object({ ...codon, to: z.literal('starting') }),
    z.object({ ...codon, to: z.literal('initializing'), sessionId: z.string().optional() }),
    z.object({ ...codon, to: z.literal('running'), sessionId: z.string() }),
    z.object({ ...codon, to: z.literal('completing-sentinels') }),
    z.object({
      ...codonEnd,
      to: z.literal('completed'),
      exitStatus: processExit,
      contextExceeded: z.boolean().optional(),
    }),
    z.object({
      ...codonEnd,
      to: z.literal('failed'),
      exitStatus: processExit,
      failureReason,
      contextExceeded: z.boolean().optional(),
    }),
    z.object({ ...codonEnd, to: z.literal('skipped'), exitStatus: processExit.optional() }),
  ]),
  CostsUpdated: z.object({ ...codon, cost: dollars, tokens: tokenCounts, costUnknown }),
  CostsIncremented: z.object({ ...codon, cost: dollars, tokens: tokenCounts, costUnknown }),
  CodonFinalCostSet: z.object({ ...codon, cost: dollars, tokens: tokenCounts.optional(), costUnknown }),
  AssistantMessageCountUpdated: z.object({
    ...codon,
    count: z.int().nonnegative(),
    extensionCount: z.int().nonnegative().optional(),
  }),
  CheckpointCreated: z.object({ ...codon, checkpointType, sha: z.string() }),
  InitialCheckpointSet: z.object({ ...run, sha: z.string() }),
  SentinelStatesUpdated: z.object({ ...codon, sentinels: z.array(sentinelState) }),
} as const satisfies Record<string, z.ZodType>

export type TransitionType = keyof typeof transitions
export type TransitionData<T extends TransitionType> = Immutable<z.infer<(typeof transitions)[T]>>
export type Transition<T extends TransitionType = TransitionType> = {
  [K in T]: { readonly type: K; readonly data: TransitionData<K> }
}[T]

export const transitionTypes = Object.keys(transitions) as readonly TransitionType[]

export function isTransitionType(name: string): name is TransitionType {
  return Object.hasOwn(transitions, name)
}
