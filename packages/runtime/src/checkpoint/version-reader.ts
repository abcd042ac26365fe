import { join } from 'node:path'
import { createGit, type Git, type GitPlace, isLink } from '../tree/index.ts'
import { type CheckOutWish, checkOut } from './check-out.ts'
import type { CheckpointRecord } from './commit.ts'
import { type DiffOptions, type DiffResult, diff } from './diff.ts'
import { listSafeties, listTree, readCheckpoint, readRecords } from './read-checkpoints.ts'
import { beforeRef, createRefs, isSha, listRefs } from './refs.ts'
import { overlaidTree } from './tree-objects.ts'

export interface VersionReaderOptions extends GitPlace {
  /** The git directory of another store whose objects can be read as well. */
  readonly beside?: string | undefined
}

/**
 * The versions of an execution for reading alone: nothing is locked, prepared or written, so a server may be at work in it
 * at the same time. Whatever a journal names is there for good.
 */
export type VersionReader = ReturnType<typeof readVersions>

export function readVersions({ beside, ...place }: VersionReaderOptions) {
  const git = withObjectsOf(createGit(place), beside)
  const refs = createRefs(place.gitDir, git)
  return {
    read: (sha: string) => readCheckpoint(git, sha),
    readBefore: (runId: string, codonId: string) => refs.read(beforeRef(runId, codonId)),
    safeties: () => listSafeties(git),
    /** `undefined`: there is no such version. */
    listFiles: (sha: string) => listTree(git, sha),
    /** The id of the tree of each version. */
    async trees(shas: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const records = await readRecords(git, shas.filter(isSha))
      const known = records.filter((record): record is CheckpointRecord => record !== undefined)
      return new Map(known.map(({ sha, tree }) => [sha, tree]))
    },
    diff: async (from: string, to: string, options: ReadDiff = {}): Promise<DiffResult> =>
      [from, to].every(isSha) ? diff(git, { from, to, paths: options.paths }, options) : notASha,
    /** A file of a version, up to so many bytes of it; `undefined`: there is none. Its name is no pattern. */
    async file(sha: string, path: string, maxBytes: number) {
      const found = (await listTree(git, sha))?.find(each => each.path === path)
      if (!found || isLink(found.mode)) return undefined
      const answer = await git(['cat-file', 'blob', found.oid], { maxBytes })
      return answer.ok ? { bytes: answer.bytes.subarray(0, maxBytes), size: found.size } : undefined
    },
    /** Into a directory that is empty. Rejects only with the reason of the signal. */
    checkOut: (sha: string, directory: string, options: CheckOutWish = {}) =>
      checkOut(git, { ...options, sha, directory }),
    /** Names of refs with what they name. Throws the system's error. */
    refs: () => listRefs(place.gitDir),
    /** Writes trees into this store, which must be ours. `undefined`: one of the versions is not there. */
    overlaid: (sha: string, overlays: Parameters<typeof overlaidTree>[1]) =>
      overlaidTree(sha, overlays, { git, gitDir: place.gitDir }),
  }
}

interface ReadDiff extends DiffOptions {
  /** Only these files. */
  readonly paths?: readonly string[]
}

const notASha = { ok: false, message: 'a checkpoint has a name of 40 hexadecimal digits' } as const

function withObjectsOf(git: Git, beside: string | undefined): Git {
  if (beside === undefined) return git
  const more = { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(beside, 'objects')) }
  return (args, options = {}) => git(args, { ...options, environment: { ...more, ...options.environment } })
}

/** Several directories would be separated by colons; one in quotes may hold any character. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`
}
