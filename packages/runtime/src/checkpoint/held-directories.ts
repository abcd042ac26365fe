import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, type PathLike } from 'node:fs'
import { openedUp } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { pathOf } from './byte-names.ts'
import { gitName } from './file-selection.ts'

/** A directory that is held open. Good until the next `enter`. */
export interface HeldDirectory {
  /** A spelling of the entry that stays with this directory, whatever someone does to the way there. */
  at(name: string): PathLike
  /** The directory itself, spelled so too. */
  readonly self: string
}

export type Entered =
  | { readonly ok: true; readonly directory: HeldDirectory }
  /** The path up to the name that is missing, or that is a link or a file. */
  | { readonly ok: false; readonly reason: 'missing' | 'in-the-way'; readonly path: string }

export interface HeldDirectories {
  /**
   * The directory at a path below the root ('' is the root), no component of which may be a link. `make`: with those
   * that are missing. Neighbours share what is open, so going through a tree in its order costs one open per directory.
   * Throws the system's error for what is nobody's fault, such as too many open files.
   */
  enter(path: string, missing?: 'make'): Entered
  close(): void
}

/** Directories below a root that the agent may be rearranging, entered one component at a time without following links. */
export function createHeldDirectories(root: string): HeldDirectories {
  const levels: Level[] = []

  function enter(path: string, missing?: 'make'): Entered {
    if (levels.length === 0) levels.push(openLevel('', root, rootFlags))
    const names = path === '' ? [] : path.split('/')
    let shared = 0
    while (shared < names.length && levels[shared + 1]?.name === names[shared]) shared++
    for (const level of levels.splice(shared + 1)) closeSync(level.fd)
    for (const name of names.slice(shared)) {
      const reason = descend(name, missing)
      if (reason) return { ok: false, reason, path: names.slice(0, levels.length).join('/') }
    }
    const { anchor } = deepest()
    return { ok: true, directory: { at: name => pathOf(anchor, name), self: anchor } }
  }

  function descend(name: string, missing: 'make' | undefined): 'missing' | 'in-the-way' | undefined {
    if (unsafeName.test(name)) return 'in-the-way'
    const place = pathOf(deepest().anchor, name)
    try {
      levels.push(openLevel(name, place, levelFlags))
      return undefined
    } catch (error) {
      const stats = lstatSync(place, { throwIfNoEntry: false })
      if (stats && !stats.isDirectory()) return 'in-the-way'
      if (stats) throw error
      if (missing !== 'make') return 'missing'
      openedUp(deepest().anchor, () => makeDirectory(place))
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
    close() {
      for (const level of levels.splice(0)) closeSync(level.fd)
    },
  }
}

/** A path that git or a plan names, and that must not lead out of the root. */
export function isSafePath(path: string): boolean {
  return path.split('/').every(name => !unsafeName.test(name) && name !== gitName)
}

const unsafeName = process.platform === 'win32' ? /^\.{0,2}$|[\0\\:]/ : /^\.{0,2}$|\0/
const rootFlags = constants.O_RDONLY | constants.O_DIRECTORY
const levelFlags = rootFlags | constants.O_NOFOLLOW
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')

interface Level {
  readonly name: string
  readonly fd: number
  /** What `openat` would start from; where the system has no such spelling, the path itself. */
  readonly anchor: string
}

function openLevel(name: string, place: PathLike, flags: number): Level {
  const fd = openSync(place, flags)
  return { name, fd, anchor: hasDescriptorPaths ? `/proc/self/fd/${fd}` : place.toString() }
}

function makeDirectory(place: PathLike): void {
  try {
    mkdirSync(place)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
