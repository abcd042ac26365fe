import type { ScanObserver, Selection } from '../tree/index.ts'
import type { CheckpointMeta, CheckpointRecord } from './commit.ts'
import type { DiffOptions, DiffResult } from './diff.ts'
import type { CheckpointNote } from './note.ts'
import type { TreeFile } from './read-checkpoints.ts'
import type { RestoreOptions, RestoreResult } from './restore-perform.ts'
import type { RestorePlan, RestorePlanResult } from './restore-plan.ts'
import type { Overlay } from './tree-objects.ts'
import type { StoreCheck, StoreSize, Upkeep } from './upkeep.ts'

/**
 * The versions of one work tree. Calls run one after another, in the order in which they were made. Unless said otherwise
 * a call rejects only with the reason of its signal; what goes wrong on the disk is a value with a message.
 */
export interface CheckpointStore {
  /** Stores the selected files and adds a checkpoint to the run's branch. It is on the disk for good when this resolves. */
  create(request: CreateRequest): Promise<CreateResult>
  /** The same on a ref of its own under `refs/weave/safety/`: what a rollback can be undone with. */
  safety(request: SafetyRequest): Promise<CreateResult>
  /** The same for a codon that begins and selects files of which nothing is known yet; once for a codon of a run. */
  before(request: SafetyRequest): Promise<CreateResult>
  /** The sha of what `before` made. */
  readBefore(runId: string, codonId: string): Promise<string | undefined>

  /** The checkpoints of a run, oldest first; none for a run without any. */
  list(runId: string): Promise<readonly CheckpointRecord[]>
  /** All safety checkpoints, oldest first. */
  safeties(): Promise<readonly CheckpointRecord[]>
  read(sha: string): Promise<CheckpointRecord | undefined>
  /** Whether a checkpoint is there with everything that belongs to it. */
  isComplete(sha: string): Promise<boolean>
  /** `undefined`: there is no such checkpoint. */
  listFiles(sha: string): Promise<readonly TreeFile[] | undefined>
  diff(request: DiffRequest): Promise<DiffResult>

  /** What has to be done to the files as they are on the disk now. Nothing in the work tree changes. */
  planRestore(request: RestoreRequest): Promise<RestorePlanResult>
  performRestore(plan: RestorePlan, options?: RestoreOptions): Promise<RestoreResult>

  /** Checks every object. */
  check(): Promise<StoreCheck>
  size(): Promise<StoreSize>
  /** Puts everything into one pack: for quiet moments, such as the end of a run. */
  pack(signal?: AbortSignal): Promise<Upkeep>
  /** Packs, and drops what no checkpoint refers to and is older. */
  prune(options: { readonly olderThanMs: number; readonly signal?: AbortSignal }): Promise<Upkeep>

  /** Waits for what is under way and keeps what is known of the files for the next start. Never rejects. */
  close(): Promise<void>
}

export interface CreateRequest extends Omit<CheckpointMeta, 'type'> {
  readonly type: Exclude<CheckpointMeta['type'], 'safety' | 'before'>
  /** The same object as long as it selects the same files: scanning is then several times faster. */
  readonly selection: Selection
  /** Of the first checkpoint of a run: the one where it starts. Others follow the last of their branch. */
  readonly parent?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Hears what is stored, as it is read. */
  readonly observer?: ScanObserver | undefined
}

export type SafetyRequest = Omit<CreateRequest, 'type'>

export type CreateResult =
  | {
      readonly ok: true
      readonly sha: string
      readonly tree: string
      /** The full name, such as `refs/heads/run-…`. */
      readonly ref: string
      readonly files: number
      readonly notes: readonly CheckpointNote[]
    }
  | { readonly ok: false; readonly message: string }

export interface RestoreRequest {
  readonly to: string
  readonly selection: Selection
  /** Where files come from that are selected and that `to` does not speak of. Of two that have a file the first is taken. */
  readonly overlays?: readonly Overlay[]
  /** To undo a restore that was begun: the checkpoint to which it went. */
  readonly since?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface DiffRequest extends DiffOptions {
  readonly from: string
  /** A checkpoint, or the files on the disk. */
  readonly to: string | Selection
  readonly paths?: readonly string[]
}
