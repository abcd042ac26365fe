import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensureDirDurably, prepareFile, syncDirectory } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import type { Git } from './git.ts'

export interface Refs {
  /** What a ref names, if there is such a ref. Throws the system's error. */
  read(ref: string): Promise<string | undefined>
  /** Gets ready to write; nothing can be seen of it yet. Rejects with the system's error. */
  prepare(ref: string, sha: string): Promise<PreparedRef>
}

export interface PreparedRef {
  /** On the disk for good when it resolves. A kill leaves the old value or the new one. Rejects with the system's error. */
  write(): Promise<void>
  /** Instead of `write`. */
  discard(): void
}

/** One file per ref, written the way git does. Whoever holds the execution is the only one who writes. */
export function createRefs(gitDir: string, git: Git): Refs {
  return {
    async read(ref) {
      const found = readLoose(join(gitDir, ref))
      if (found !== undefined) return found
      // Somebody may have packed the refs by hand.
      if (!existsSync(join(gitDir, 'packed-refs'))) return undefined
      const answer = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', ref])
      return answer.ok ? answer.bytes.toString().trim() : undefined
    },
    async prepare(ref, sha) {
      const target = join(gitDir, ref)
      await ensureDirDurably(dirname(target))
      const prepared = await prepareFile(Buffer.from(`${sha}\n`), {
        temporary: `${target}.lock`,
        target,
        mode: 0o600,
      })
      return {
        async write() {
          prepared.place()
          await syncDirectory(dirname(target))
        },
        discard: prepared.discard,
      }
    },
  }
}

export function isSha(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

function readLoose(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'latin1').trim()
    return isSha(text) ? text : undefined
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EISDIR') return undefined
    throw error
  }
}
