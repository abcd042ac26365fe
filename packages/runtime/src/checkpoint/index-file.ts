import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { cleanEnvironment, type Git, splitAtNul } from './git.ts'
import { decodeIndexFile, encodeIndexFile } from './index-format.ts'
import type { KnownDirectory } from './known-tree.ts'
import { createRepeatedGit } from './repeated-git.ts'

/**
 * An index file of git's beside the store, from which git tells in a fraction of the time that we would need which of
 * the files listed in it may have changed. It may be old: what is wrong in it only seems changed. After a restart it
 * says what was known. When it is lost or damaged everything takes longer, and nothing else.
 */
export interface IndexFile {
  load(): Promise<KnownDirectory | undefined>
  /** Rejects with the system's error; then the old one is still there. */
  save(root: KnownDirectory, now: number): Promise<void>
  /** Of the listed files those that may have changed or gone. `undefined`: git cannot tell. Rejects as `git` does. */
  changed(signal?: AbortSignal): Promise<readonly string[] | undefined>
  close(): void
}

/** Only an `lstat` for every entry: nothing is read, so no filter or attribute of the workspace has a say. */
const changedFiles = ['diff-files', '--name-only', '-z', '--no-renames']

export interface IndexPlace {
  readonly gitDir: string
  readonly workTree: string
  readonly git: Git
  /** Of this process, as for `createGit`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Puts the files of the work tree on the disk. Rejects with the system's error. */
  readonly syncFiles: () => Promise<void>
}

export function createIndexFile({ gitDir, workTree, git, environment, syncFiles }: IndexPlace): IndexFile {
  const path = join(gitDir, 'weave-index')
  const variables = { GIT_INDEX_FILE: path, GIT_WORK_TREE: workTree }
  const whole = { ...cleanEnvironment(environment), GIT_DIR: gitDir, ...variables }
  const repeated = createRepeatedGit({ args: changedFiles, gitDir, environment: whole })
  return {
    async load() {
      try {
        return await decodeIndexFile(readFileSync(path))
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
    async save(root, now) {
      const bytes = await encodeIndexFile(root, now)
      // Or a power cut could leave other bytes under the times that are written down here.
      await syncFiles()
      await writeFileAtomic(path, bytes)
    },
    async changed(signal) {
      const bytes = await repeated.ask(signal)
      if (bytes) return splitAtNul(bytes)
      const answer = await git(changedFiles, { environment: variables, signal })
      return answer.ok ? splitAtNul(answer.bytes) : undefined
    },
    close: repeated.close,
  }
}
