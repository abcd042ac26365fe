import { expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { weaveState } from '../src/index.ts'
import { codonExecution, runState, startedFrom } from '../src/state.ts'
import { codonStatus } from '../src/values.ts'
import { type Fields, fieldsOf, shapeOf, variantsOf } from './shape.ts'

/** The fields of the state, copied from decisions 4. */

const tokens =
  '{ inputTokens: number, outputTokens: number, cacheCreationTokens: number, cacheReadTokens: number }'
const exit = "{ type: 'success' } | { type: 'error', code: number } | { type: 'killed', signal: string }"
const reason =
  "{ type: 'timeout' | 'rate-limit' | 'api-error' | 'sentinel-load-failure' | 'unknown', retriable: boolean, message?: string, sentinelRefs?: string[] }"
const breach =
  "{ currency: 'dollars' | 'seconds' | 'output-tokens' | 'context-tokens', limit: number, used: number, scope: string }"
const sentinel =
  "{ sentinelId: string, status: 'loaded' | 'unloaded' | 'failed', cost: number, costUnknown?: true, tokens: { input: number, output: number }, llmCallCount: number, triggerCount: number, droppedTriggers?: number, unloadReason?: 'codon-complete' | 'fatal-error' | 'consecutive-failures' | 'shutdown' }"

/** `costUnknown` is ours (decisions 9); everything else is in the list of decisions 4. */
const everyCodon: Fields = {
  codonId: 'string',
  codonName: 'string',
  startTime: 'time',
  attempt: 'number',
  'loopContext?': '{ loopId: string, iteration: number, codonIndexInLoop: number }',
  'previousSessionId?': 'string',
  model: 'string',
  cost: 'number',
  'costUnknown?': 'true',
  tokens,
  assistantMessageCount: 'number',
  extensionCount: 'number',
  checkpoints: "map of 'rig-setup' | 'completed' | 'error' | 'skipped' to string",
  'sentinels?': `(${sentinel})[]`,
}
const everyEnd: Fields = {
  ...everyCodon,
  'sessionId?': 'string',
  endTime: 'time',
  'budgetExceeded?': breach,
}

verifies(
  [
    'd4/codon-fields-required',
    'd4/codon-fields-optional',
    'd4/codon-loop-context',
    'd4/codon-tokens',
    'd4/codon-checkpoints',
    'd4/codon-budget-exceeded',
  ],
  'a codon record has the fields that its status may have and no other',
  () => {
    expect(variantsOf(codonExecution, 'status')).toEqual({
      preparing: everyCodon,
      starting: everyCodon,
      initializing: { ...everyCodon, 'sessionId?': 'string' },
      running: { ...everyCodon, sessionId: 'string' },
      'completing-sentinels': { ...everyCodon, 'sessionId?': 'string' },
      completed: { ...everyEnd, exitStatus: exit, 'contextExceeded?': 'boolean' },
      failed: {
        ...everyEnd,
        exitStatus: exit,
        failureReason: reason,
        failedDuring: "'preparing' | 'starting' | 'initializing' | 'running' | 'completing-sentinels'",
        'contextExceeded?': 'boolean',
      },
      skipped: { ...everyEnd, 'exitStatus?': exit },
    })
  },
)

verifies(['d4/codon-status-values'], 'a codon has one of eight statuses', () => {
  const statuses = [
    'preparing',
    'starting',
    'initializing',
    'running',
    'completing-sentinels',
    'completed',
    'failed',
    'skipped',
  ]
  expect(codonStatus.options).toEqual(statuses)
  expect(Object.keys(variantsOf(codonExecution, 'status'))).toEqual(statuses)
})

verifies(
  ['d4/run-fields', 'd4/run-status-values', 'd4/run-started-continuation'],
  'a run has one of five statuses, and an end exactly when it has ended',
  () => {
    const everyRun: Fields = {
      runId: 'string',
      startTime: 'time',
      gitBranch: 'string',
      startedFrom: shapeOf(startedFrom),
      'initialCheckpoint?': 'string',
      codons: `(${shapeOf(codonExecution)})[]`,
      cost: 'number',
    }
    expect(shapeOf(startedFrom)).toBe(
      "{ type: 'fresh' } | { type: 'continuation', runId: string, codonId?: string, checkpoint?: string }",
    )
    expect(variantsOf(runState, 'status')).toEqual({
      running: everyRun,
      completed: { ...everyRun, endTime: 'time' },
      stopped: { ...everyRun, endTime: 'time', 'reason?': 'string' },
      failed: { ...everyRun, endTime: 'time', reason: 'string' },
      crashed: { ...everyRun, endTime: 'time' },
    })
    expect(fieldsOf(weaveState)).toEqual({
      currentRunId: 'string | null',
      runs: `(${shapeOf(runState)})[]`,
      totalCost: 'number',
    })
  },
)
