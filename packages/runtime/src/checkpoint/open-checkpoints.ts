import { join } from 'node:path'
import { createDiskSync } from '../files/index.ts'
import { type Clock, type Failure, messageOf, type Result } from '../kit/index.ts'
import {
  createFileSystem,
  createGit,
  createIndexFile,
  createStoredTree,
  type FileSystem,
  type Git,
} from '../tree/index.ts'
import { type CheckpointStore, createStore, type StoreParts } from './checkpoint-store.ts'
import { checkGit, prepareStore, probesName } from './open-store.ts'
import { createRefs, isSha } from './refs.ts'
import { createRestoreIntent, sweepTemporaries } from './restore-files.ts'

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

/** `fileSystem`: of the work tree. */
export type OpenCheckpointsResult = Result<
  { readonly store: CheckpointStore; readonly fileSystem: FileSystem },
  Failure
>

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

function createParts({ gitDir, workTree, clock, environment }: OpenCheckpointsOptions, git: Git): StoreParts {
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
