import { createSerialQueue, messageOf, type Refused } from '../kit/index.ts'
import type { FileSystem, Git } from '../tree/index.ts'
import {
  type CommitPlace,
  type CreateRequest,
  createBefore,
  createCheckpoint,
  createSafety,
  type SafetyRequest,
  storeScan,
} from './commit-workspace.ts'
import { compareTrees, type DiffRequest, type DiffResult, diff } from './diff.ts'
import { isComplete, listCheckpoints, listSafeties, listTree, readCheckpoint } from './read-checkpoints.ts'
import { beforeRef, branchOf, branchRef, isSha } from './refs.ts'
import type { RestoreIntent } from './restore-files.ts'
import { performRestore, type RestoreOptions } from './restore-perform.ts'
import { planRestore, type RestorePlan, type RestorePlanResult, type RestoreRequest } from './restore-plan.ts'
import { overlaidTree } from './tree-objects.ts'
import { checkStore, packStore, pruneStore, sizeOf } from './upkeep.ts'

export interface StoreParts extends CommitPlace {
  readonly fileSystem: FileSystem
  readonly git: Git
  readonly intent: RestoreIntent
}

/**
 * The versions of one work tree. Calls run one after another, in the order in which they were made. Unless said otherwise
 * a call rejects only with the reason of its signal; what goes wrong on the disk is a value with a message.
 */
export type CheckpointStore = ReturnType<typeof createStore>

export function createStore(place: StoreParts, assertHeld: () => void = () => undefined) {
  const { git, refs, files, clock, fileSystem } = place
  const queue = createSerialQueue()
  const inTurn: typeof queue.run = work =>
    queue.run(() => {
      assertHeld()
      return work()
    })

  /** Turns what the disk refuses into a value. */
  function guarded<Result>(
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result | Refused> {
    return inTurn(async () => {
      signal?.throwIfAborted()
      try {
        return await work()
      } catch (error) {
        signal?.throwIfAborted()
        return { ok: false, message: messageOf(error) }
      }
    })
  }

  return {
    /** Stores the selected files and adds a checkpoint to the run's branch. It is on the disk for good when this resolves. */
    create: (request: CreateRequest) => guarded(request.signal, () => createCheckpoint(request, place)),
    /** The same on a ref of its own under `refs/weave/safety/`: what a rollback can be undone with. */
    safety: (request: SafetyRequest) => guarded(request.signal, () => createSafety(request, place)),
    /** The same for a codon that begins and selects files of which nothing is known yet; once for a codon of a run. */
    before: (request: SafetyRequest) => guarded(request.signal, () => createBefore(request, place)),
    /** The sha of what `before` made. */
    readBefore: (runId: string, codonId: string) => inTurn(() => refs.read(beforeRef(runId, codonId))),
    /** The checkpoints of a run, oldest first; none for a run without any. */
    list: (runId: string) =>
      inTurn(async () => {
        const tip = await refs.read(branchRef(branchOf(runId)))
        return tip === undefined ? [] : listCheckpoints(git, tip)
      }),
    /** All safety checkpoints, oldest first. */
    safeties: () => inTurn(() => listSafeties(git)),
    read: (sha: string) => inTurn(() => readCheckpoint(git, sha)),
    /** Whether a checkpoint is there with everything that belongs to it. */
    isComplete: (sha: string) => inTurn(() => isComplete(git, sha)),
    /** `undefined`: there is no such checkpoint. */
    listFiles: (sha: string) => inTurn(() => listTree(git, sha)),
    diff: (request: DiffRequest) => guarded(undefined, () => compare(request, place)),
    /** What has to be done to the files as they are on the disk now. Nothing in the work tree changes. */
    planRestore: (request: RestoreRequest) => guarded(request.signal, () => plan(request, place)),
    performRestore: (wanted: RestorePlan, { signal, onProgress }: RestoreOptions = {}) =>
      inTurn(() => performRestore(wanted, { ...place, umask: fileSystem.umask, signal, onProgress })),
    /** Checks every object. */
    check: () => inTurn(() => checkStore(place)),
    size: () => inTurn(() => sizeOf(place)),
    /** Puts everything into one pack: for quiet moments, such as the end of a run. */
    pack: (signal?: AbortSignal) => guarded(signal, () => packStore(place, signal)),
    /** Packs, and drops what no checkpoint refers to and is older. */
    prune: ({ olderThanMs, signal }: { readonly olderThanMs: number; readonly signal?: AbortSignal }) =>
      guarded(signal, () => pruneStore(place, new Date(clock.now().getTime() - olderThanMs), signal)),
    /** Waits for what is under way and keeps what is known of the files for the next start. Never rejects. */
    close: () => inTurn(() => files.close()).catch(() => undefined),
  }
}

async function plan(
  { to, since, selection, overlays = [], signal }: RestoreRequest,
  place: StoreParts,
): Promise<RestorePlanResult> {
  if (![to, since ?? to, ...overlays.map(({ sha }) => sha)].every(isSha)) return notASha
  const { git, workTree, intent, files } = place
  // Mostly nothing has changed since the last checkpoint: git can compare while we scan.
  const known = overlays.length === 0 ? await files.treeId() : undefined
  const early = known === undefined ? undefined : compareTrees(git, { from: known, to })
  const stored = await storeScan({ selection, signal }, place)
  const compared = stored.tree === known ? await early : undefined
  const tree = overlays.length === 0 ? to : await overlaidTree(to, overlays, place)
  if (tree === undefined) return { ok: false, message: `a version that belongs to ${to} cannot be read` }
  return planRestore(to, { git, workTree, stored, tree, compared, since, leftBehind: intent.read() })
}

/** Nothing else ever gets to git. */
const notASha = { ok: false, message: 'a checkpoint has a name of 40 hexadecimal digits' } as const

async function compare({ from, to, paths, ...options }: DiffRequest, place: StoreParts): Promise<DiffResult> {
  if (![from, typeof to === 'string' ? to : from].every(isSha)) return notASha
  const end = typeof to === 'string' ? to : (await storeScan({ selection: to }, place)).tree
  return diff(place.git, { from, to: end, paths }, options)
}
