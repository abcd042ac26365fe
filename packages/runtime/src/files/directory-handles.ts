import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  type PathLike,
  rmdirSync,
  statSync,
} from 'node:fs'
import { errorCode } from '../kit/index.ts'
import { canSyncDirectories, directoryOnly, fsyncLater } from './durable.ts'
import { entryOf, namesOf, splitPath } from './names.ts'

/** A directory that is held open. */
export interface HeldDirectory {
  /** A path of the entry `name` that stays with this directory, whatever someone does to the way there. */
  at(name: string): string
  /** The same for a name of `nameOfBytes`, which may be no text. */
  entry(name: string): PathLike
  /** The directory itself, spelled so too. */
  readonly self: string
  sync(): Promise<void>
}

export type Entered =
  | { readonly ok: true; readonly directory: HeldDirectory }
  | {
      readonly ok: false
      readonly reason: 'missing' | 'in-the-way'
      /** Up to the name that is missing, or that is a link or a file. */
      readonly path: string
      readonly message: string
    }

export type DirectoryChain = ReturnType<typeof createDirectoryChain>

/**
 * Directories below a root that the agent, or anyone, may be rearranging: entered one component at a time, each without
 * following a link. The root itself must exist; links in the way to it are followed. `onMake` hears of each directory
 * that `make` made.
 */
export function createDirectoryChain(root: string, onMake: (path: string) => void = () => undefined) {
  const levels: Level[] = []

  /**
   * The directory below the root; no component may be a link. With `make`, those that are missing are made. Good until
   * the next call. Neighbours share what is open, so going through a tree in its order costs one open per directory.
   * Throws the system's error for what is nobody's fault, such as too many open files.
   */
  function enter(components: readonly string[], missing?: 'make'): Entered {
    if (levels.length === 0) levels.push(openLevel('', root, directoryOnly))
    let shared = 0
    while (shared < components.length && levels[shared + 1]?.name === components[shared]) shared++
    for (const level of levels.splice(shared + 1)) closeSync(level.fd)
    for (const name of components.slice(shared)) {
      const obstacle = descend(name, missing)
      if (!obstacle) continue
      const path = components.slice(0, levels.length).join('/')
      return { ok: false, reason: obstacle.reason, path, message: `${path} ${obstacle.what}` }
    }
    return { ok: true, directory: deepest() }
  }

  function descend(name: string, missing: 'make' | undefined): Obstacle | undefined {
    if (!isSafeName(name)) return { reason: 'in-the-way', what: 'is no name' }
    const place = entryOf(deepest().self, name)
    try {
      levels.push(openLevel(name, place, directoryFlags))
      return undefined
    } catch (error) {
      const obstacle = obstacleAt(place)
      if (!obstacle) throw error
      if (obstacle.reason !== 'missing' || missing !== 'make') return obstacle
      if (openedUp(deepest().self, () => makeDirectory(place)))
        onMake([...levels.slice(1).map(level => level.name), name].join('/'))
      return descend(name, undefined)
    }
  }

  function deepest(): Level {
    const level = levels.at(-1)
    if (!level) throw new Error('nothing has been entered')
    return level
  }

  return {
    enter,
    /** `enter` for the directory that holds an entry, given by its path with `/`, and the entry's own name. */
    reach(path: string, missing?: 'make'): Entered & { readonly name: string } {
      const { parent, name } = splitPath(path)
      return { ...enter(namesOf(parent), missing), name }
    },
    /** `enter`, where every obstacle is an error. */
    mustEnter(components: readonly string[], missing?: 'make'): HeldDirectory {
      const entered = enter(components, missing)
      if (!entered.ok) throw new Error(entered.message)
      return entered.directory
    },
    close(): void {
      for (const level of levels.splice(0)) closeSync(level.fd)
    },
  }
}

/** `false`: it would lead elsewhere, or nowhere. */
export function isSafeName(name: string): boolean {
  return !unsafeName.test(name)
}

const unsafeName = process.platform === 'win32' ? /^\.{0,2}$|[\0\\:]/ : /^\.{0,2}$|\0/

/** Opens a directory and nothing else: a link in the last component fails with ELOOP or ENOTDIR. */
export const directoryFlags = directoryOnly | constants.O_NOFOLLOW

/**
 * A spelling of an open directory that stays with it when someone moves it or puts a link in its place, so that
 * `${anchor}/name` is what `openat` would find. Where the system has no such spelling it is the path itself.
 */
export function directoryAnchor(fd: number, path: string): string {
  return hasDescriptorPaths ? `/proc/self/fd/${fd}` : path
}

const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')

/** A class, since a checkpoint makes one for every file that it reads. */
class Level implements HeldDirectory {
  readonly name: string
  readonly fd: number
  readonly self: string

  constructor(name: string, fd: number, self: string) {
    this.name = name
    this.fd = fd
    this.self = self
  }

  at(name: string): string {
    return `${this.self}/${name}`
  }

  entry(name: string): PathLike {
    return entryOf(this.self, name)
  }

  async sync(): Promise<void> {
    if (canSyncDirectories) await fsyncLater(this.fd)
  }
}

interface Obstacle {
  readonly reason: 'missing' | 'in-the-way'
  readonly what: string
}

function openLevel(name: string, place: PathLike, flags: number): Level {
  const fd = openSync(place, flags)
  return new Level(name, fd, directoryAnchor(fd, place.toString()))
}

/** `false`: something has the name already. */
function makeDirectory(place: PathLike): boolean {
  try {
    mkdirSync(place)
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return false
  }
}

function obstacleAt(place: PathLike): Obstacle | undefined {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (!stats) return { reason: 'missing', what: 'does not exist' }
  if (stats.isSymbolicLink()) return { reason: 'in-the-way', what: 'is a symbolic link' }
  if (!stats.isDirectory()) return { reason: 'in-the-way', what: 'is not a directory' }
  return undefined
}

/**
 * Does something to names in a directory. When the directory is closed to us for writing, as programs sometimes leave one
 * behind, and it is ours, it is opened up for that moment and then has its permissions again. Throws what the work throws.
 */
export function openedUp<Result>(directory: PathLike, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    const { mode } = statSync(directory)
    try {
      chmodSync(directory, (mode & 0o7777) | 0o700)
    } catch {
      throw error
    }
    try {
      return work()
    } finally {
      chmodSync(directory, mode & 0o7777)
    }
  }
}

/** Codes of an `rmdir` after which the directory stays and nothing is wrong: it is in use, not empty, or not ours. */
const mayStay: ReadonlySet<string> = new Set([
  'ENOTEMPTY',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'EBUSY',
  'EACCES',
  'EPERM',
  'EROFS',
])

/** Removes a directory that is to go if it is empty; one that cannot go, such as a mount point, stays. */
export function removeIfEmpty(parent: PathLike, directory: PathLike): void {
  try {
    openedUp(parent, () => rmdirSync(directory))
  } catch (error) {
    if (!mayStay.has(errorCode(error) ?? '')) throw error
  }
}
