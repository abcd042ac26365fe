import { closeSync, fchmodSync, openSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { createFlags, discard, type HeldDirectory, openedUp, writeAllSync } from '../files/index.ts'
import { createId } from '../kit/index.ts'
import { type GitMode, isLink } from './git-mode.ts'

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
export const temporaryPrefix = '.weave-restore-'

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
