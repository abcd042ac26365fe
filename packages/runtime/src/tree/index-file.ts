import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { writeFileAtomic } from '../files/index.ts'
import { errorCode, type Supervised, supervise } from '../kit/index.ts'
import { cleanEnvironment, type Git, gitArguments, splitAtNul } from './git.ts'
import { decodeIndexFile, encodeIndexFile } from './index-format.ts'
import type { KnownDirectory } from './known-tree.ts'

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

export type IndexFile = ReturnType<typeof createIndexFile>

/**
 * An index file of git's beside the store, from which git tells in a fraction of the time that we would need which of
 * the files listed in it may have changed. It may be old: what is wrong in it only seems changed. After a restart it
 * says what was known. When it is lost or damaged everything takes longer, and nothing else.
 */
export function createIndexFile({ gitDir, workTree, git, environment, syncFiles }: IndexPlace) {
  const path = join(gitDir, 'weave-index')
  const variables = { GIT_INDEX_FILE: path, GIT_WORK_TREE: workTree }
  const whole = { ...cleanEnvironment(environment), GIT_DIR: gitDir, ...variables }
  const repeated = createRepeatedGit(changedFiles, { cwd: gitDir, env: whole })
  return {
    async load(): Promise<KnownDirectory | undefined> {
      try {
        return await decodeIndexFile(readFileSync(path))
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
    /** Rejects with the system's error; then the old one is still there. */
    async save(root: KnownDirectory, now: number): Promise<void> {
      const bytes = await encodeIndexFile(root, now)
      // Or a power cut could leave other bytes under the times that are written down here.
      await syncFiles()
      await writeFileAtomic(path, bytes)
    },
    /** Of the listed files those that may have changed or gone. `undefined`: git cannot tell. Rejects as `git` does. */
    async changed(signal?: AbortSignal): Promise<readonly string[] | undefined> {
      const bytes = await repeated.ask(signal)
      if (bytes) return splitAtNul(bytes)
      const answer = await git(changedFiles, { environment: variables, signal })
      return answer.ok ? splitAtNul(answer.bytes) : undefined
    },
    close: repeated.close,
  }
}

type GitPlace = { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

/** Runs its arguments once per line, and closes what they print with an empty part and the exit code. */
const script = `while IFS= read -r line; do "$@"; printf '\\000%s\\000' "$?"; done`

/**
 * A git command that is run again and again, by a shell that waits for a line before each run. To start a process a
 * program with much memory needs several milliseconds, in which nothing else happens in it; a shell does not. It ends
 * when we close its input, or die. The command must not print two NUL bytes in a row.
 */
function createRepeatedGit(args: readonly string[], place: GitPlace) {
  let shell: Supervised | undefined

  function begin(): Supervised {
    const program = supervise('/bin/sh', ['-c', script, 'sh', 'git', ...gitArguments(args)], {
      ...place,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const { child } = program
    child?.unref()
    for (const pipe of [child?.stdin, child?.stdout]) if (pipe instanceof Socket) pipe.unref()
    return program
  }

  return {
    /** What the command prints this time. `undefined`: it failed, or cannot be run like this here. One call at a time. */
    async ask(signal?: AbortSignal): Promise<Buffer | undefined> {
      if (process.platform === 'win32') return undefined
      shell ??= begin()
      const program = shell
      const { child } = program
      const stop = () => void program.discard()
      signal?.addEventListener('abort', stop, { once: true })
      child?.ref()
      try {
        child?.stdin?.write('\n')
        const answering = readAnswer(child?.stdout).catch(() => undefined)
        const answer = await Promise.race([answering, program.ended.then(() => undefined)])
        if (!answer) shell = undefined
        return answer?.code === '0' ? answer.bytes : undefined
      } finally {
        child?.unref()
        signal?.removeEventListener('abort', stop)
        signal?.throwIfAborted()
      }
    },
    close() {
      shell?.child?.stdin?.end()
      shell = undefined
    },
  }
}

/** Up to the exit code. `undefined`: the output ended before that. */
async function readAnswer(output: Readable | null | undefined) {
  const chunks: AsyncIterable<Buffer> | readonly Buffer[] = output?.iterator({ destroyOnReturn: false }) ?? []
  let bytes = Buffer.alloc(0)
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    const code = bytes.at(-1) === 0 ? closingCode(bytes) : undefined
    if (code !== undefined) return { code, bytes: bytes.subarray(0, -code.length - 2) }
  }
  return undefined
}

/** Of what ends in a NUL. `undefined`: more is to come. */
function closingCode(bytes: Buffer): string | undefined {
  const start = bytes.lastIndexOf(0, -2)
  const isClosed = start === 0 || (start > 0 && bytes[start - 1] === 0)
  return isClosed ? bytes.toString('latin1', start + 1, bytes.length - 1) : undefined
}
