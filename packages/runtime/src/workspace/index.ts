/**
 * The execution directory: one agent workspace with everything the runtime keeps about it. Owns where things lie, which
 * execution a start uses, who holds it, how the data gets in, and all work on files of the agent workspace: rig,
 * outputs, archives, watching, the tree that clients see.
 *
 * It does not know what the state or the journal say, takes no checkpoints, reads no settings and prints nothing: what
 * a person should hear comes back as text in a value.
 */

export { type ArchiveOutcome, performArchive, type RestoreOutcome, restoreArchived } from './archive.ts'
export { type ArchiveEntry, type ArchiveRead, readArchive } from './archive-manifest.ts'
export { type ArchivePlan, type ArchivePlanned, type ArchiveRequest, planArchive } from './archive-plan.ts'
export {
  type CheckpointSelection,
  type CheckpointSelectionResult,
  createCheckpointSelection,
} from './checkpoint-selection.ts'
export { type DataHashOptions, type DataHashResult, hashData, noDataHash } from './data-hash.ts'
export { createDirectoryChain } from './directory-chain.ts'
export type { ExecutionFile, LinkType } from './execution-file.ts'
export { type ExecutionFileResult, readExecutionFile } from './execution-file.ts'
export { fileNameOf } from './file-name.ts'
export type { FileUpdate } from './file-update.ts'
export {
  type DamagedExecution,
  type ExecutionList,
  type FoundExecution,
  type ListOptions,
  listExecutions,
} from './find-executions.ts'
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
export type { OutputCopy, OutputFile } from './output-staging.ts'
export { type OutputsSettled, settleOutputs, undoOutputs } from './output-undo.ts'
export {
  type BeforeCopyOutput,
  copyOutputs,
  type OutputOutcome,
  type OutputRecord,
  type OutputRequest,
} from './outputs.ts'
export type { ExecutionLock, LockUpdate } from './own-lock.ts'
export {
  type RigOperationResult,
  type RigOutcome,
  type RigOutput,
  type RigRequest,
  runRig,
} from './rig.ts'
export { moveOutOfWorkspace, rigLeftovers } from './rig-cleanup.ts'
export { type CopySource, copyIntoWorkspace, resolveCopyTarget } from './rig-copy.ts'
export { forgetRigRecord, openRigRecord, type RigEntry, readRigRecord } from './rig-record.ts'
export { type OpenSessionLog, openSessionLog } from './session-log.ts'
export { type WatchOptions, type WorkspaceWatch, watchWorkspace } from './watch.ts'
export type { WatchNote } from './workspace-looks.ts'
