import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import {
  contentDigest,
  createDirectoryChain,
  type DirectoryChain,
  everyDirectory,
  fsyncLater,
  type HeldDirectory,
  isSafeName,
  type OpenFile,
  openedUp,
  openRegular,
  placeFile,
  removeIfEmpty,
} from '../files/index.ts'
import { errorCode, wordsOf } from '../kit/index.ts'

/** One file on its way: `/`-separated paths below the two roots. */
export interface Passage {
  readonly source: string
  readonly target: string
  /** What the bytes should be, or where a link should point. */
  readonly sha256?: string
}

/**
 * What became of a passage. `moved`: it is at its target, and what is left at the source, if anything, is another file;
 * `found` when its bytes are not those that they should be.
 * `taken`: something else is at the target; both stay. `gone`: it is in neither place. `blocked`: the way to the target
 * cannot be gone.
 */
export type Fate =
  | { readonly kind: 'moved'; readonly found?: Content }
  | { readonly kind: 'taken' | 'gone' }
  | { readonly kind: 'blocked'; readonly message: string }

export interface Content {
  readonly bytes: number
  readonly sha256: string | undefined
}

/**
 * Moves files from one tree to another, never over another file and never following a link. First every file is at its
 * target, then their bytes and the target directories are synced, then the sources go, so that after a kill or a power
 * cut at any moment each file is in at least one place, whole, and doing it again finishes it. Directories that this left
 * empty are removed.
 *
 * One fate per passage, in order. Rejects with the system's error when the disk fails; nothing is lost then either.
 */
export async function transfer(
  sourceRoot: string,
  targetRoot: string,
  passages: readonly Passage[],
): Promise<readonly Fate[]> {
  const ends = { source: createDirectoryChain(sourceRoot), target: createDirectoryChain(targetRoot) }
  try {
    const fates: Fate[] = []
    for (const [index, passage] of passages.entries()) {
      if (index % passagesPerTurn === 0) await setImmediate()
      fates.push(await naming(passage, () => lay(passage, ends)))
    }
    const moved = passages.filter((_, index) => fates[index]?.kind === 'moved')
    const targets = moved.map(passage => passage.target)
    const sources = moved.map(passage => passage.source)
    await syncFiles(targets, ends.target)
    await syncFolders(targets, ends.target)
    for (const passage of moved) await naming(passage, () => dropSource(passage, ends))
    await syncFolders(sources, ends.source)
    clearFolders(sources, ends.source)
    return fates
  } finally {
    ends.source.close()
    ends.target.close()
  }
}

const passagesPerTurn = 64

/** The system names descriptors in its errors; people know paths. */
async function naming<Result>({ source }: Passage, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new Error(`${source} cannot be moved: ${wordsOf(error)}`, { cause: error })
  }
}

interface Ends {
  readonly source: DirectoryChain
  readonly target: DirectoryChain
}

async function lay(passage: Passage, { source, target }: Ends): Promise<Fate> {
  // Paths come from a file that the agent could reach: `..` in one must lead nowhere.
  const names = [...passage.source.split('/'), ...passage.target.split('/')]
  if (!names.every(isSafeName)) return { kind: 'blocked', message: 'its path leaves the directory' }
  const file = find(source, passage.source)
  if (file === undefined) return { kind: find(target, passage.target) === undefined ? 'gone' : 'moved' }
  const entered = target.reach(passage.target, 'make')
  if (!entered.ok) return { kind: 'blocked', message: entered.message }
  const { directory, name } = entered
  const isPlaced = (await place(file, directory, name)) || (await areSame(file, directory.at(name)))
  return isPlaced ? { kind: 'moved', ...(await differenceOf(file, passage)) } : { kind: 'taken' }
}

async function differenceOf(file: string, { sha256 }: Passage): Promise<{ readonly found?: Content }> {
  if (sha256 === undefined) return {}
  const found = await contentDigest(file)
  return found === sha256 ? {} : { found: { bytes: lstatSync(file).size, sha256: found } }
}

async function place(file: string, directory: HeldDirectory, name: string): Promise<boolean> {
  if (!lstatSync(file).isSymbolicLink()) return placeFile(file, directory, name)
  try {
    const to = readlinkSync(file, 'buffer')
    openedUp(directory.self, () => symlinkSync(to, directory.at(name)))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Looks again first: a file that has come since, under the name of the one that moved, is not ours to drop. */
async function dropSource({ source: from, target: to }: Passage, { source, target }: Ends): Promise<void> {
  const file = find(source, from)
  const placed = find(target, to)
  if (file === undefined || placed === undefined || !(await areSame(file, placed))) return
  openedUp(dirname(file), () => unlinkSync(file))
}

async function areSame(one: string, other: string): Promise<boolean> {
  const [a, b] = [one, other].map(path => lstatSync(path, { bigint: true }))
  if (!a || !b) return false
  if (a.ino === b.ino && a.dev === b.dev) return true
  if ((a.mode & kindBits) !== (b.mode & kindBits) || a.size !== b.size) return false
  const digest = await contentDigest(one)
  return digest !== undefined && digest === (await contentDigest(other))
}

const kindBits = 0o170000n

/** A few at a time: the system can put several on the disk in the time that one takes. */
async function syncFiles(paths: readonly string[], chain: DirectoryChain): Promise<void> {
  for (let at = 0; at < paths.length; at += filesPerSync) {
    const files: OpenFile[] = []
    try {
      for (const path of paths.slice(at, at + filesPerSync)) {
        const file = find(chain, path)
        // A link has nothing but its name.
        if (file !== undefined && !lstatSync(file).isSymbolicLink()) files.push(await openRegular(file))
      }
      await Promise.all(files.map(({ file }) => fsyncLater(file.fd)))
    } finally {
      for (const { file } of files) await file.close()
    }
  }
}

const filesPerSync = 32

async function syncFolders(paths: readonly string[], chain: DirectoryChain): Promise<void> {
  if (paths.length === 0) return
  for (const folder of everyDirectory(paths)) {
    const entered = chain.enter(folder)
    if (entered.ok) await entered.directory.sync()
  }
}

/**
 * Each held a file that moved, so an empty one was emptied by that. The deepest go first; the root stays, and so does one
 * that cannot go, such as a mount point.
 */
function clearFolders(paths: readonly string[], chain: DirectoryChain): void {
  for (const folder of everyDirectory(paths).toReversed()) {
    const name = folder.at(-1)
    const entered = chain.enter(folder.slice(0, -1))
    if (name === undefined || !entered.ok) continue
    removeIfEmpty(entered.directory.self, entered.directory.at(name))
  }
}

/** Where an entry is, if it is there and no link is on the way. Good until the chain is used again. */
function find(chain: DirectoryChain, path: string): string | undefined {
  const entered = chain.reach(path)
  if (!entered.ok || !isSafeName(entered.name)) return undefined
  const place = entered.directory.at(entered.name)
  return lstatSync(place, { throwIfNoEntry: false }) && place
}
