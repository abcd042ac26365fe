import fc from 'fast-check'
import type { Transition, TransitionData, TransitionType } from '../src/index.ts'
import {
  budgetBreach,
  checkpointType,
  costUnknown,
  dollars,
  failureReason,
  fields,
  isoTime,
  loopContext,
  processExit,
  sentinelState,
  sha,
  startedFrom,
  text,
  tokenCounts,
  word,
} from './value-arbitraries.ts'

/** Few ids, so that arbitrary transitions often speak of the same run and codon. */
const runId = word('run-1', 'run-2', 'run-3', 'рун-🧬')
const codonId = word('draft', 'review#0', 'review#1', '')
const codonEnd = { codonId, endTime: isoTime }
const perhapsAtEnd = { budgetExceeded: budgetBreach }

export const transitionData: { readonly [T in TransitionType]: fc.Arbitrary<TransitionData<T>> } = {
  RunStarted: fields({ runId, startTime: isoTime, gitBranch: text, startedFrom }),
  RunCompleted: fields({ runId, endTime: isoTime, outcome: word('completed', 'stopped') }, { reason: text }),
  RunFailed: fields({ runId, endTime: isoTime, reason: text }, { codonId }),
  RunCrashed: fields({ runId, endTime: isoTime }),
  CodonStarted: fields(
    {
      codonId,
      codonName: text,
      attempt: fc.integer({ min: 1, max: 3 }),
      startTime: isoTime,
      model: text,
    },
    { loopContext, previousSessionId: text },
  ),
  CodonTransitioned: fc.oneof(
    fields({ codonId, to: word('starting') }),
    fields({ codonId, to: word('initializing') }, { sessionId: text }),
    fields({ codonId, to: word('running'), sessionId: text }),
    fields({ codonId, to: word('completing-sentinels') }),
    fields(
      { ...codonEnd, to: word('completed'), exitStatus: processExit },
      { ...perhapsAtEnd, contextExceeded: fc.boolean() },
    ),
    fields(
      { ...codonEnd, to: word('failed'), exitStatus: processExit, failureReason },
      { ...perhapsAtEnd, contextExceeded: fc.boolean() },
    ),
    fields({ ...codonEnd, to: word('skipped') }, { ...perhapsAtEnd, exitStatus: processExit }),
  ),
  CostsUpdated: fields({ codonId, cost: dollars, tokens: tokenCounts }, costUnknown),
  CostsIncremented: fields({ codonId, cost: dollars, tokens: tokenCounts }, costUnknown),
  CodonFinalCostSet: fields({ codonId, cost: dollars }, { tokens: tokenCounts, ...costUnknown }),
  AssistantMessageCountUpdated: fields(
    { codonId, count: fc.nat({ max: 50 }) },
    { extensionCount: fc.nat({ max: 5 }) },
  ),
  CheckpointCreated: fields({ codonId, checkpointType, sha }),
  InitialCheckpointSet: fields({ runId, sha }),
  SentinelStatesUpdated: fields({ codonId, sentinels: fc.array(sentinelState, { maxLength: 3 }) }),
}

export function transitionOf<T extends TransitionType>(type: T): fc.Arbitrary<Transition> {
  return transitionData[type].map(data => ({ type, data }) as unknown as Transition)
}

/** Moves of codons and their money come often, ends of runs seldom: so that walks grow rich before they end. */
const weights: { readonly [T in TransitionType]: number } = {
  RunStarted: 1,
  RunCompleted: 1,
  RunFailed: 1,
  RunCrashed: 1,
  CodonStarted: 3,
  CodonTransitioned: 12,
  CostsUpdated: 2,
  CostsIncremented: 3,
  CodonFinalCostSet: 2,
  AssistantMessageCountUpdated: 2,
  CheckpointCreated: 3,
  InitialCheckpointSet: 1,
  SentinelStatesUpdated: 2,
}

export const anyTransition: fc.Arbitrary<Transition> = fc.oneof(
  ...(Object.keys(weights) as TransitionType[]).map(type => ({
    weight: weights[type],
    arbitrary: transitionOf(type),
  })),
)

/** What the schemas allow at their outermost: sums of these overflow. */
export const extremeTransition: fc.Arbitrary<Transition> = fc
  .record({
    codonId,
    cost: fc.oneof(
      fc.constantFrom(0, Number.MIN_VALUE, 1e20, Number.MAX_VALUE),
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    ),
    tokens: fc.record({
      inputTokens: fc.maxSafeNat(),
      outputTokens: fc.maxSafeNat(),
      cacheCreationTokens: fc.maxSafeNat(),
      cacheReadTokens: fc.maxSafeNat(),
    }),
    type: word('CostsUpdated', 'CostsIncremented', 'CodonFinalCostSet'),
  })
  .map(({ type, codonId, cost, tokens }) => ({ type, data: { codonId, cost, tokens } }))
