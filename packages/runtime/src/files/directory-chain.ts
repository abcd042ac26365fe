import { closeSync, constants, existsSync, fsync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from '../kit/index.ts'
import { openedUp } from './opened-up.ts'

/** A directory that is held open. */
export interface HeldDirectory {
  /** A spelling of the entry `name` that stays with this directory, whatever someone does to the way there. */
  at(name: string): string
  /** The directory itself, spelled so too. */
  readonly self: string
  sync(): Promise<void>
}

export type Entered =
  | { readonly ok: true; readonly directory: HeldDirectory }
  | { readonly ok: false; readonly reason: 'missing' | 'in-the-way'; readonly message: string }

export interface DirectoryChain {
  /**
   * The directory below the root; no component may be a link. With `make`, those that are missing are made. Good until
   * the next call. Neighbours share what is open, so going through a tree in its order costs one open per directory.
   * Throws the system's error for what is nobody's fault, such as too many open files.
   */
  enter(components: readonly string[], missing?: 'make'): Entered
  /** `enter`, where every obstacle is an error. */
  mustEnter(components: readonly string[], missing?: 'make'): HeldDirectory
  close(): void
}

/**
 * Directories below a root that the agent, or anyone, may be rearranging: entered one component at a time, each without
 * following a link. The root itself must exist; links in the way to it are followed. `onMake` hears of each directory
 * that `make` made.
 */
export function createDirectoryChain(
  root: string,
  onMake: (path: string) => void = () => undefined,
): DirectoryChain {
  const levels: Level[] = []

  function enter(components: readonly string[], missing?: 'make'): Entered {
    if (levels.length === 0) levels.push(openLevel('', root, rootFlags))
    let shared = 0
    while (shared < components.length && levels[shared + 1]?.name === components[shared]) shared++
    for (const level of levels.splice(shared + 1)) closeSync(level.fd)
    for (const name of components.slice(shared)) {
      const obstacle = descend(name, missing)
      if (!obstacle) continue
      const path = components.slice(0, levels.length).join('/')
      return { ok: false, reason: obstacle.reason, message: `${path} ${obstacle.what}` }
    }
    return { ok: true, directory: held(deepest()) }
  }

  function descend(name: string, missing: 'make' | undefined): Obstacle | undefined {
    const place = `${deepest().anchor}/${name}`
    if (missing === 'make' && openedUp(deepest().anchor, () => makeDirectory(place)))
      onMake([...levels.slice(1).map(level => level.name), name].join('/'))
    try {
      levels.push(openLevel(name, place, levelFlags))
      return undefined
    } catch (error) {
      const obstacle = obstacleAt(place)
      if (obstacle) return obstacle
      throw error
    }
  }

  function deepest(): Level {
    const level = levels.at(-1)
    if (!level) throw new Error('nothing has been entered')
    return level
  }

  return {
    enter,
    mustEnter(components, missing) {
      const entered = enter(components, missing)
      if (!entered.ok) throw new Error(entered.message)
      return entered.directory
    },
    close() {
      for (const level of levels.splice(0)) closeSync(level.fd)
    },
  }
}

const rootFlags = constants.O_RDONLY | constants.O_DIRECTORY
const levelFlags = rootFlags | constants.O_NOFOLLOW
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')
const canSyncDirectories = process.platform !== 'win32'
const fsyncLater = promisify(fsync)

interface Level {
  readonly name: string
  readonly fd: number
  /** What `openat` would start from; where the system has no such spelling, the path itself. */
  readonly anchor: string
}

interface Obstacle {
  readonly reason: 'missing' | 'in-the-way'
  readonly what: string
}

function openLevel(name: string, place: string, flags: number): Level {
  const fd = openSync(place, flags)
  return { name, fd, anchor: hasDescriptorPaths ? `/proc/self/fd/${fd}` : place }
}

function held({ fd, anchor }: Level): HeldDirectory {
  return {
    at: name => `${anchor}/${name}`,
    self: anchor,
    sync: async () => {
      if (canSyncDirectories) await fsyncLater(fd)
    },
  }
}

/** `false`: something has the name already. */
function makeDirectory(place: string): boolean {
  try {
    mkdirSync(place)
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return false
  }
}

function obstacleAt(place: string): Obstacle | undefined {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (!stats) return { reason: 'missing', what: 'does not exist' }
  if (stats.isSymbolicLink()) return { reason: 'in-the-way', what: 'is a symbolic link' }
  if (!stats.isDirectory()) return { reason: 'in-the-way', what: 'is not a directory' }
  return undefined
}
