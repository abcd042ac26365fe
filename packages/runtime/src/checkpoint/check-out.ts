import { closeSync, fstatSync, openSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { createFlags } from '../files/index.ts'
import { createId, type Result } from '../kit/index.ts'
import type { Git } from '../tree/index.ts'
import { listTree } from './read-checkpoints.ts'
import { isSha } from './refs.ts'
import type { RestoreIntent } from './restore-files.ts'
import { performRestore, type RestoreOptions } from './restore-perform.ts'
import { isSafePath } from './restore-plan.ts'

/**
 * Writes the files of a version, or of a tree, into a directory that is empty and ours alone. The store is only read.
 * Rejects only with the reason of the signal.
 */
export async function checkOut(git: Git, options: Omit<CheckOutOptions, 'index'>): Promise<Result> {
  const index = join(dirname(options.directory), createId('index'))
  try {
    return await checkOutWith(git, { ...options, index })
  } finally {
    for (const path of [index, `${index}.lock`]) rmSync(path, { force: true })
  }
}

export interface CheckOutWish extends RestoreOptions {
  /** Told what the version calls its files, each with a NUL behind it, before they are there. */
  readonly onNames?: ((names: Buffer) => void) | undefined
}

interface CheckOutOptions extends CheckOutWish {
  readonly sha: string
  readonly directory: string
  /** A file for git alone, beside the directory. */
  readonly index: string
}

async function checkOutWith(git: Git, options: CheckOutOptions): Promise<Result> {
  const { sha, directory, signal, onNames } = options
  if (!isSha(sha)) return noVersion(sha)
  const refused = new AbortController()
  const signals = [refused.signal, ...(signal ? [signal] : [])]
  // git writes while it says the names: those of nearly all versions are plain.
  const writing = checkOutByGit(git, { ...options, signal: AbortSignal.any(signals) })
  const names = await listNames(git, options)
  const isPlain = names !== undefined && arePlain(names)
  if (!isPlain) refused.abort()
  if (names) onNames?.(names)
  const isWritten = (await writing) && isPlain
  signal?.throwIfAborted()
  if (isWritten) return { ok: true }
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
  return names ? checkOutOneByOne(git, options) : noVersion(sha)
}

function noVersion(sha: string): Result {
  return { ok: false, message: `There is no version ${sha.slice(0, 8)}, or it cannot be read.` }
}

/** What a version calls its files, each with a NUL behind it. `undefined`: there is no such version. Never rejects. */
async function listNames(git: Git, { sha, signal }: CheckOutOptions): Promise<Buffer | undefined> {
  const words = ['ls-tree', '-r', '-z', '--full-tree', '--name-only', sha]
  const answer = await git(words, { signal }).catch(() => undefined)
  return answer?.ok ? answer.bytes : undefined
}

/**
 * Names that git takes for what they are on every system; it refuses some others, or means something else by them. All are
 * looked at in one go: taken one by one, ten thousand of them take as long as git needs to start.
 */
function arePlain(names: Buffer): boolean {
  return !notPlain.test(names.toString('latin1'))
}

/**
 * A character with a meaning, what git takes for its own (but for what nearly every project has, and what it only reads when
 * files are added), a name that ends with a dot or a space, one that is empty.
 */
const notPlain = /[\\~:\x01-\x1f]|\.git(?!(?:ignore|keep|hub)[/\0])|[ .][/\0]|(?:^|[/\0])\/|(?:^|[/\0])\0/i

/** Our own way, which takes any name that is safe. */
async function checkOutOneByOne(git: Git, options: CheckOutOptions): Promise<Result> {
  const { sha, directory } = options
  const files = await listTree(git, sha)
  if (!files) return noVersion(sha)
  const unsafe = files.find(({ path }) => !isSafePath(path))
  if (unsafe) return { ok: false, message: `The version names a path that cannot be written: ${unsafe.path}` }
  const plan = {
    to: sha,
    create: [],
    change: [],
    delete: [],
    unchanged: 0,
    conflicts: [],
    notes: [],
    writes: files.map(({ path, mode, oid }) => ({ path, mode, oid, before: undefined })),
    removals: [],
    emptied: [],
  }
  const umask = umaskIn(directory)
  return performRestore(plan, { ...options, git, workTree: directory, umask, intent: noIntent })
}

/**
 * git itself writes files several times faster than we do, one by one. Nothing that is not ours has a say in it: the store's
 * own settings hold, and its attributes switch everything off. `false`: it did not write all of them. Never rejects.
 */
async function checkOutByGit(git: Git, options: CheckOutOptions): Promise<boolean> {
  const { sha, directory, index, signal } = options
  const environment = { GIT_INDEX_FILE: index, GIT_WORK_TREE: directory }
  // Several processes write where there are many files: what the system does for each takes longer than what git does.
  const workers = Math.min(availableParallelism(), mostWorkers)
  const words = ['-c', `checkout.workers=${workers}`, 'read-tree', '--reset', '-u', sha]
  const written = await git(words, { environment, signal }).catch(() => undefined)
  return written?.ok ?? false
}

const mostWorkers = 8

/** Nobody finishes what is cut off here: the directory as a whole is dropped. */
const noIntent: RestoreIntent = { read: () => [], write: async () => undefined, clear: () => undefined }

/** The permissions that a new file does not get there. Throws the system's error. */
function umaskIn(directory: string): number {
  const path = join(directory, createId('probe'))
  const fd = openSync(path, createFlags, 0o777)
  try {
    return 0o777 & ~fstatSync(fd).mode
  } finally {
    closeSync(fd)
    rmSync(path, { force: true })
  }
}
