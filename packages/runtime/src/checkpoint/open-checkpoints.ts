import { join } from 'node:path'
import { createDiskSync } from '../files/index.ts'
import { type Clock, createSerialQueue, messageOf } from '../kit/index.ts'
import {
  createFileSystem,
  createGit,
  createIndexFile,
  createStoredTree,
  type FileSystem,
  type Git,
} from '../tree/index.ts'
import type { CheckpointStore, DiffRequest, RestoreRequest } from './checkpoint-store.ts'
import {
  type CommitPlace,
  createBefore,
  createCheckpoint,
  createSafety,
  storeScan,
} from './commit-workspace.ts'
import { compareTrees, type DiffResult, diff } from './diff.ts'
import { checkGit, prepareStore, probesName } from './open-store.ts'
import { isComplete, listCheckpoints, listSafeties, listTree, readCheckpoint } from './read-checkpoints.ts'
import { beforeRef, branchOf, branchRef, createRefs, isSha } from './refs.ts'
import { createRestoreIntent, type RestoreIntent, sweepTemporaries } from './restore-files.ts'
import { performRestore } from './restore-perform.ts'
import { planRestore, type RestorePlanResult } from './restore-plan.ts'
import { overlaidTree } from './tree-objects.ts'
import { checkStore, packStore, pruneStore, sizeOf } from './upkeep.ts'

export interface OpenCheckpointsOptions {
  /** Ours alone, outside the work tree, best on the same file system. Made when it does not exist. */
  readonly gitDir: string
  readonly workTree: string
  readonly clock: Clock
  /** Of this process; nothing of it that means something to git gets there. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called before each use; throws when the execution is no longer ours to write to. */
  readonly assertHeld?: (() => void) | undefined
}

export type OpenCheckpointsResult =
  | {
      readonly ok: true
      readonly store: CheckpointStore
      /** Of the work tree. */
      readonly fileSystem: FileSystem
    }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/**
 * The checkpoints of an execution. Whoever calls holds the execution: nobody else may write to the git directory. Never
 * rejects.
 */
export async function openCheckpoints(options: OpenCheckpointsOptions): Promise<OpenCheckpointsResult> {
  const { gitDir, environment } = options
  const git = createGit(options)
  try {
    const trouble = (await checkGit(environment)) ?? (await prepareStore(gitDir, git))
    if (trouble) return { ok: false, ...trouble }
    const parts = createParts(options, git)
    sweepTemporaries(options.workTree, parts.intent.read())
    return { ok: true, store: createStore(parts, options.assertHeld), fileSystem: parts.fileSystem }
  } catch (error) {
    const message = `the checkpoints cannot be opened: ${messageOf(error)}`
    return { ok: false, message, cure: `Make sure that ${gitDir} can be read and written` }
  }
}

interface Parts extends CommitPlace {
  readonly fileSystem: FileSystem
  readonly git: Git
  readonly intent: RestoreIntent
}

function createParts({ gitDir, workTree, clock, environment }: OpenCheckpointsOptions, git: Git): Parts {
  const fileSystem = createFileSystem(join(gitDir, probesName), workTree)
  const syncFiles = createDiskSync([workTree], environment)
  const index = createIndexFile({ gitDir, workTree, git, environment, syncFiles })
  const hasObject = async (oid: string): Promise<boolean> => {
    if (!isSha(oid)) return false
    const answer = await git(['cat-file', '-e', oid])
    // A git that did not run says nothing about the object.
    if (!answer.ok && answer.code === null) throw new Error(answer.message)
    return answer.ok
  }
  const hasTree = (oid: string): Promise<boolean> => hasObject(oid).catch(() => false)
  const files = createStoredTree({ workTree, index, fileSystem, hasTree })
  const refs = createRefs(gitDir, git)
  const intent = createRestoreIntent(gitDir)
  return { gitDir, workTree, fileSystem, files, refs, clock, git, intent, hasObject }
}

function createStore(place: Parts, assertHeld: () => void = () => undefined): CheckpointStore {
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
  ): Promise<Result | { readonly ok: false; readonly message: string }> {
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
    create: request => guarded(request.signal, () => createCheckpoint(request, place)),
    safety: request => guarded(request.signal, () => createSafety(request, place)),
    before: request => guarded(request.signal, () => createBefore(request, place)),
    readBefore: (runId, codonId) => inTurn(() => refs.read(beforeRef(runId, codonId))),
    list: runId =>
      inTurn(async () => {
        const tip = await refs.read(branchRef(branchOf(runId)))
        return tip === undefined ? [] : listCheckpoints(git, tip)
      }),
    safeties: () => inTurn(() => listSafeties(git)),
    read: sha => inTurn(() => readCheckpoint(git, sha)),
    isComplete: sha => inTurn(() => isComplete(git, sha)),
    listFiles: sha => inTurn(() => listTree(git, sha)),
    diff: request => guarded(undefined, () => compare(request, place)),
    planRestore: request => guarded(request.signal, () => plan(request, place)),
    async performRestore(wanted, options = {}) {
      const { signal, onProgress } = options
      return inTurn(() => performRestore(wanted, { ...place, umask: fileSystem.umask, signal, onProgress }))
    },
    check: () => inTurn(() => checkStore(place)),
    size: () => inTurn(() => sizeOf(place)),
    pack: signal => guarded(signal, () => packStore(place, signal)),
    prune: ({ olderThanMs, signal }) =>
      guarded(signal, () => pruneStore(place, new Date(clock.now().getTime() - olderThanMs), signal)),
    close: () => inTurn(() => files.close()).catch(() => undefined),
  }
}

async function plan(
  { to, since, selection, overlays = [], signal }: RestoreRequest,
  place: Parts,
): Promise<RestorePlanResult> {
  if (![to, since ?? to, ...overlays.map(({ sha }) => sha)].every(isSha)) return notASha
  const { git, gitDir, workTree, intent, files } = place
  // Mostly nothing has changed since the last checkpoint: git can compare while we scan.
  const known = overlays.length === 0 ? await files.treeId() : undefined
  const early = known === undefined ? undefined : compareTrees(git, { from: known, to })
  const stored = await storeScan({ selection, signal }, place)
  const compared = stored.tree === known ? await early : undefined
  const tree = overlays.length === 0 ? to : await overlaidTree(to, overlays, { git, gitDir })
  if (tree === undefined) return { ok: false, message: `a version that belongs to ${to} cannot be read` }
  return planRestore(to, { git, workTree, stored, tree, compared, since, leftBehind: intent.read() })
}

/** Nothing else ever gets to git. */
const notASha = { ok: false, message: 'a checkpoint has a name of 40 hexadecimal digits' } as const

async function compare({ from, to, paths, ...options }: DiffRequest, place: Parts): Promise<DiffResult> {
  if (![from, typeof to === 'string' ? to : from].every(isSha)) return notASha
  if (typeof to === 'string') return diff(place.git, { from, to, paths }, options)
  const { tree } = await storeScan({ selection: to }, place)
  return diff(place.git, { from, to: tree, paths }, options)
}
