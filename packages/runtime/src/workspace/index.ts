/**
 * The execution directory: one agent workspace with everything the runtime keeps about it. Owns where things lie, which
 * execution a start uses, who holds it, and how the data gets in.
 *
 * It does not know what the state or the journal say, takes no checkpoints, reads no settings and prints nothing: what
 * a person should hear comes back as text in a value.
 */

export { type DataHashOptions, type DataHashResult, hashData, noDataHash } from './data-hash.ts'
export { installData, prepareData } from './data-source.ts'
export type { ExecutionFile, LinkType } from './execution-file.ts'
export { type ExecutionFileResult, readExecutionFile, writeExecutionFile } from './execution-file.ts'
export { type ExecutionList, type ListOptions, listExecutions } from './find-executions.ts'
export type { DamagedExecution, FoundExecution } from './found-execution.ts'
export { type InlineDataOptions, type InlineDataResult, storeInlineData } from './inline-data.ts'
export {
  archiveDirectory,
  type ExecutionLayout,
  executionLayout,
  sentinelDirectory,
  sessionLog,
} from './layout.ts'
export {
  acquireLock,
  describeHolder,
  type LockFailure,
  type LockHolder,
  type LockOptions,
  type LockResult,
  type LockState,
  readLock,
} from './lock-file.ts'
export type { LockRecord } from './lock-record.ts'
export { openExecution } from './open-execution.ts'
export type {
  OpenedExecution,
  OpenOptions,
  OpenProblem,
  OpenProblemCode,
  OpenResult,
} from './open-options.ts'
export { type ForkOrigin, readOrigin, writeOrigin } from './origin.ts'
export type { ExecutionLock, LockUpdate } from './own-lock.ts'
export { partOf, removeOldParts } from './parts.ts'
export { promptFolder, promptLog, readSentPrompts, type SentPrompt } from './prompt-log.ts'
export { openSessionLog } from './session-log.ts'
export { executionName } from './set-aside.ts'
export { hashTree, type TreeEntry, type TreeHash } from './tree-hash.ts'
