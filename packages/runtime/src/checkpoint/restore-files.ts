import {
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  type PathLike,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  createDirectoryChain,
  createFlags,
  discard,
  type FileState,
  type HeldDirectory,
  isSameState,
  namesOf,
  openedUp,
  overwriteFlags,
  writeAllSync,
  writeFileAtomic,
} from '../files/index.ts'
import { createId } from '../kit/index.ts'
import { type GitMode, isLink, permissionsLike } from '../tree/index.ts'

/** A file or link that is made in pieces, beside its place, and then gets its name. */
export interface StagedFile {
  write(piece: Buffer): void
  /**
   * What stands in the place goes first, although a rename would replace it: some file systems then write the new file to
   * the disk at once, which takes as long as thirty files do otherwise. Throws the system's error.
   */
  place(takesPlace: boolean): void
  /** Instead of `place`. */
  discard(): void
}

export interface StagedPlace {
  readonly directory: HeldDirectory
  readonly name: string
  readonly mode: GitMode
  readonly permissions: number
  readonly umask: number
}

/** Of names that only we give. */
const temporaryPrefix = '.weave-restore-'

export function createStagedFile(place: StagedPlace): StagedFile {
  return isLink(place.mode) ? stagedLink(place) : stagedRegular(place)
}

function stagedRegular({ directory, name, permissions, umask }: StagedPlace): StagedFile {
  const temporary = directory.entry(temporaryPrefix + createId('file'))
  const fd = openedUp(directory.self, () => openSync(temporary, createFlags, permissions))
  const close = once(() => closeSync(fd))
  return {
    write: piece => writeAllSync(fd, piece),
    place(takesPlace) {
      if ((permissions & umask) !== 0) fchmodSync(fd, permissions)
      close()
      openedUp(directory.self, () => {
        if (takesPlace) unlinkSync(directory.entry(name))
        renameSync(temporary, directory.entry(name))
      })
    },
    discard() {
      close()
      openedUp(directory.self, () => discard(temporary))
    },
  }
}

function stagedLink({ directory, name }: StagedPlace): StagedFile {
  return createCollectedFile((target, takesPlace) => {
    openedUp(directory.self, () => {
      if (takesPlace) unlinkSync(directory.entry(name))
      symlinkSync(target, directory.entry(name))
    })
  })
}

/** One that stays in memory until it gets its place, in the way that is given. */
export function createCollectedFile(put: (content: Buffer, takesPlace: boolean) => void): StagedFile {
  const pieces: Buffer[] = []
  return {
    write: piece => pieces.push(piece),
    place(takesPlace) {
      const [only] = pieces
      put(only && pieces.length === 1 ? only : Buffer.concat(pieces), takesPlace)
    },
    discard: () => undefined,
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

interface Overwriting {
  readonly at: PathLike
  /** What the file must be now. */
  readonly before: FileState
  readonly mode: GitMode
  readonly bytes: Buffer
}

/**
 * Gives a small file other content where it is: no file comes or goes, which is most of the time that a new one takes. A
 * kill in the middle can leave a mixture, which the next plan takes for what it is: one more content.
 *
 * `false`: nothing was done to it. It is not as expected, closed to us, known by another name as well, or has not the
 * space: what is written here needs none, so it does not fail half-way on a full disk. Throws the system's error.
 */
export function overwriteFile({ at, before, mode, bytes }: Overwriting): boolean {
  const fd = isLink(mode) ? undefined : openQuietly(at)
  if (fd === undefined) return false
  try {
    const stats = fstatSync(fd)
    if (!isOurs(stats, before) || stats.blocks * blockBytes < bytes.length) return false
    writeAllSync(fd, bytes)
    if (stats.size > bytes.length) ftruncateSync(fd, bytes.length)
    const permissions = permissionsLike(mode, stats.mode)
    if (permissions !== (stats.mode & 0o777)) fchmodSync(fd, permissions)
    return true
  } finally {
    closeSync(fd)
  }
}

const blockBytes = 512

function isOurs(stats: Stats, before: FileState): boolean {
  return stats.isFile() && stats.nlink === 1 && isSameState(before, stats)
}

function openQuietly(at: PathLike): number | undefined {
  try {
    return openSync(at, overwriteFlags)
  } catch {
    return undefined
  }
}

/** Removes the files that a killed restore was making in these directories. Throws the system's error. */
export function sweepTemporaries(workTree: string, paths: readonly string[]): void {
  const directories = createDirectoryChain(workTree)
  try {
    for (const path of paths) {
      const entered = directories.enter(namesOf(path))
      if (!entered.ok) continue
      const { directory } = entered
      for (const name of readdirSync(directory.entry('.')))
        if (name.startsWith(temporaryPrefix)) unlinkSync(directory.entry(name))
    }
  } finally {
    directories.close()
  }
}

/**
 * The directories in which a restore that is under way works. A kill can leave those that it makes or empties without a
 * file, and then nothing else tells that they are not the agent's own: the next restore, wherever it goes, takes them
 * over. It can also leave an unfinished file, which the next start removes.
 */
export type RestoreIntent = ReturnType<typeof createRestoreIntent>

export function createRestoreIntent(gitDir: string) {
  const path = join(gitDir, 'weave-restore.json')
  return {
    /** None when there is no restore to take over, or when it cannot be read: at worst an empty directory stays. */
    read(): readonly string[] {
      try {
        const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
        return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
      } catch {
        return []
      }
    },
    /** Rejects with the system's error. */
    write: (directories: readonly string[]) => writeFileAtomic(path, JSON.stringify(directories)),
    clear: () => discard(path),
  }
}
