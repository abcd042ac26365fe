import fc from 'fast-check'
import type {
  BudgetBreach,
  CheckpointInfo,
  CheckpointType,
  CodonExecution,
  CodonStatus,
  FailureReason,
  FileNode,
  LiveCodonStatus,
  ProcessExit,
  RunState,
  SentinelState,
  TokenCounts,
} from '../src/index.ts'

/** Arbitraries of the values that messages and transitions share. Every value survives JSON unchanged. */

type Models<T> = { [K in keyof T]: fc.Arbitrary<T[K]> }

/** An object that has all of `required` and any of `optional`. */
export function fields<R extends object>(required: Models<R>): fc.Arbitrary<R>
export function fields<R extends object, O extends object>(
  required: Models<R>,
  optional: Models<O>,
): fc.Arbitrary<R & Partial<O>>
export function fields<R extends object, O extends object>(required: Models<R>, optional?: Models<O>) {
  const always = fc.record(required, { noNullPrototype: true })
  if (!optional) return always
  const sometimes = fc.record(optional, { requiredKeys: [], noNullPrototype: true })
  return fc.tuple(always, sometimes).map(([has, may]) => ({ ...has, ...may }))
}

/** One of these words, with its literal type. */
export function word<const W extends readonly string[]>(...words: W): fc.Arbitrary<W[number]> {
  return fc.constantFrom(...words)
}

export const text = fc.oneof(
  { weight: 3, arbitrary: word('draft', 'review#0', 'src/ä/naïve.md', 'opus', 'line one\nline two\r\n') },
  {
    weight: 2,
    arbitrary: word('', ' ', '日本語のコドン', '🧬👩‍🔬', '\u0000\u001b[31m', '\ud83d', '"\\u2028\u2028'),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
)
export const texts = fc.array(text, { maxLength: 3 })
export const count = fc.oneof(fc.nat({ max: 200_000 }), fc.constantFrom(0, Number.MAX_SAFE_INTEGER))
export const atLeastOne = fc.integer({ min: 1, max: 100 })
export const dollars = fc.oneof(
  fc.constantFrom(0, 0.1, 0.2, 0.000_003, 12.345_678_9),
  fc.double({ min: 0, max: 5_000, noNaN: true }),
)
export const milliseconds = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e7, noNaN: true }))
export const isoTime = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2039-12-31T23:59:59Z'), noInvalidDate: true })
  .map(date => date.toISOString())
export const sha = fc.stringMatching(/^[0-9a-f]{40}$/)
const trueOnly: fc.Arbitrary<true> = fc.constant(true)

export const json: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .map(value => JSON.parse(JSON.stringify(value)))
// A reader drops a key that would replace the prototype, as it should.
export const key = text.filter(name => name !== '__proto__')
export const map: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(key, json, {
  maxKeys: 4,
  noNullPrototype: true,
})

export const processExit: fc.Arbitrary<ProcessExit> = fc.oneof(
  fields({ type: word('success') }),
  fields({ type: word('error'), code: fc.integer() }),
  fields({ type: word('killed'), signal: word('SIGTERM', 'SIGKILL', '') }),
)

export const failureReason: fc.Arbitrary<FailureReason> = fields(
  {
    type: word('timeout', 'rate-limit', 'api-error', 'sentinel-load-failure', 'unknown'),
    retriable: fc.boolean(),
  },
  { message: text, sentinelRefs: texts },
)

export const checkpointType: fc.Arbitrary<CheckpointType> = word('rig-setup', 'completed', 'error', 'skipped')

const liveCodonStatus: fc.Arbitrary<LiveCodonStatus> = word(
  'preparing',
  'starting',
  'initializing',
  'running',
  'completing-sentinels',
)
const codonStatus: fc.Arbitrary<CodonStatus> = fc.oneof(
  liveCodonStatus,
  word('completed', 'failed', 'skipped'),
)

export const checkpointInfo: fc.Arbitrary<CheckpointInfo> = fields({
  codonId: text,
  codonName: text,
  checkpointType,
  sha,
  status: codonStatus,
  timestamp: isoTime,
})

export const fileTree: fc.Arbitrary<FileNode[]> = fc.letrec<{ tree: FileNode[]; node: FileNode }>(tie => ({
  tree: fc.oneof({ maxDepth: 3 }, fc.constant<FileNode[]>([]), fc.array(tie('node'), { maxLength: 3 })),
  node: fields(
    { name: text, path: text, isDirectory: fc.boolean(), children: tie('tree') },
    { lastModified: isoTime },
  ),
})).tree

export const tokenCounts: fc.Arbitrary<TokenCounts> = fields({
  inputTokens: fc.nat({ max: 200_000 }),
  outputTokens: fc.nat({ max: 64_000 }),
  cacheCreationTokens: fc.nat({ max: 200_000 }),
  cacheReadTokens: fc.nat({ max: 2_000_000 }),
})

export const promptMetadata = fields(
  {},
  { name: text, description: text, tags: texts, version: text, author: text },
)

export const modelUsage = fields(
  { inputTokens: count, outputTokens: count, costUSD: dollars },
  { cacheReadInputTokens: count, cacheCreationInputTokens: count },
)

export const budgetBreach: fc.Arbitrary<BudgetBreach> = fields({
  currency: word('dollars', 'seconds', 'output-tokens', 'context-tokens'),
  limit: dollars,
  used: dollars,
  scope: word('codon', 'loop:review', 'hank', '--max-cost'),
})

export const sentinelStrategy = word('immediate', 'debounce', 'count', 'timeWindow')
export const sentinelUnloadReason = word('codon-complete', 'fatal-error', 'consecutive-failures', 'shutdown')
export const sentinelTokens = fields({ input: count, output: count })

export const sentinelState: fc.Arbitrary<SentinelState> = fields(
  {
    sentinelId: text,
    status: word('loaded', 'unloaded', 'failed'),
    cost: dollars,
    tokens: sentinelTokens,
    llmCallCount: count,
    triggerCount: count,
  },
  { costUnknown: trueOnly, droppedTriggers: count, unloadReason: sentinelUnloadReason },
)

export const loopContext = fields({ loopId: text, iteration: count, codonIndexInLoop: count })
export const startedFrom: fc.Arbitrary<RunState['startedFrom']> = fc.oneof(
  fields({ type: word('fresh') }),
  fields({ type: word('continuation'), runId: text }, { codonId: text, checkpoint: sha }),
)
export const costUnknown = { costUnknown: trueOnly }

const codonRecord = {
  codonId: text,
  codonName: text,
  startTime: isoTime,
  attempt: atLeastOne,
  model: text,
  cost: dollars,
  tokens: tokenCounts,
  assistantMessageCount: count,
  extensionCount: count,
  checkpoints: fields({}, { 'rig-setup': sha, completed: sha, error: sha, skipped: sha }),
}
const perhaps = {
  loopContext,
  previousSessionId: text,
  ...costUnknown,
  sentinels: fc.array(sentinelState, { maxLength: 2 }),
}
const atEnd = { ...perhaps, sessionId: text, budgetExceeded: budgetBreach }

export const codonExecution: fc.Arbitrary<CodonExecution> = fc.oneof(
  fields({ ...codonRecord, status: word('preparing') }, perhaps),
  fields({ ...codonRecord, status: word('starting') }, perhaps),
  fields({ ...codonRecord, status: word('initializing') }, { ...perhaps, sessionId: text }),
  fields({ ...codonRecord, status: word('running'), sessionId: text }, perhaps),
  fields({ ...codonRecord, status: word('completing-sentinels') }, { ...perhaps, sessionId: text }),
  fields(
    { ...codonRecord, status: word('completed'), endTime: isoTime, exitStatus: processExit },
    { ...atEnd, contextExceeded: fc.boolean() },
  ),
  fields(
    {
      ...codonRecord,
      status: word('failed'),
      endTime: isoTime,
      exitStatus: processExit,
      failureReason,
      failedDuring: liveCodonStatus,
    },
    { ...atEnd, contextExceeded: fc.boolean() },
  ),
  fields(
    { ...codonRecord, status: word('skipped'), endTime: isoTime },
    { ...atEnd, exitStatus: processExit },
  ),
)
