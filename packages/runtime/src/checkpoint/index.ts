/**
 * Versions of the agent workspace, in a git directory of our own. Owns what is in a checkpoint and how it gets there, what
 * a checkpoint says of itself, how files go back to one, how two are compared, and the upkeep of the store.
 *
 * git is a store here and never acts: nothing of the workspace's or the user's configuration is read or run. This room
 * does not know when a checkpoint is due, which files are selected, what the state or the journal say, or what else a
 * rollback takes; whoever opens a store holds the execution.
 */
export type { CheckpointStore } from './checkpoint-store.ts'
export { cloneStore } from './clone-store.ts'
export type { CheckpointMeta, CheckpointRecord } from './commit.ts'
export type { CreateRequest, CreateResult, SafetyRequest } from './commit-workspace.ts'
export type {
  DiffOptions,
  DiffRequest,
  DiffResult,
  FileDifference,
  TreeDifference,
  TreeEntry,
} from './diff.ts'
export type { CheckpointNote } from './note.ts'
export {
  type OpenCheckpointsOptions,
  type OpenCheckpointsResult,
  openCheckpoints,
} from './open-checkpoints.ts'
export { checkGit } from './open-store.ts'
export type { TreeFile } from './read-checkpoints.ts'
export { beforeRef, branchOf, branchRef, isSha, type ResolvedSha, resolveSha, safetyPrefix } from './refs.ts'
export type { Moved, RestoreOptions, RestoreProgress, RestoreResult } from './restore-perform.ts'
export type { RestorePlan, RestorePlanResult, RestoreRequest } from './restore-plan.ts'
export type { Overlay } from './tree-objects.ts'
export type { StoreCheck, StoreSize, Upkeep } from './upkeep.ts'
export { readVersions, type VersionReader } from './version-reader.ts'
