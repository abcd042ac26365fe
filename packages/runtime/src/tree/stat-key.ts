import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type FileState, isSameState } from '../files/index.ts'
import { createId } from '../kit/index.ts'

/**
 * What tells one state of a file from the next without reading it. The time of change moves with every write, rename and
 * change of mode, whatever a program does to the other times. Flat and small: there may be a hundred thousand.
 */
export interface StatKey {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** The lower 32 bits, which is what git keeps. */
  readonly ino: number
  readonly uid: number
  readonly gid: number
  /** Changed so shortly before it was seen that it can change again and have the same key: git's *racily clean*. */
  readonly isRacy: boolean
  /** Not racy for someone who sees whole seconds only, as git does, either. */
  readonly isSettled: boolean
}

/** `now` is the time of the file system just before the file was seen. */
export function statKeyOf(stats: Stats, now: number): StatKey {
  const { size, mtimeMs, ctimeMs, ino, uid, gid } = stats
  const isRacy = ctimeMs >= now - margin
  return { size, mtimeMs, ctimeMs, ino: ino >>> 0, uid, gid, isRacy, isSettled: isSettledAt(ctimeMs, now) }
}

/** Of a file in the same state, seen at a later time. */
export function laterKey(key: StatKey, now: number): StatKey {
  return { ...key, isSettled: isSettledAt(key.ctimeMs, now) }
}

function isSettledAt(ctimeMs: number, now: number): boolean {
  return Math.floor(ctimeMs / 1000) < Math.floor((now - margin) / 1000)
}

// A change that comes after the scan has a later time than the file system had before it, but for what the clocks of
// several processors may differ.
const margin = 20

export function isUnchanged(key: StatKey | undefined, stats: FileState): boolean {
  return key !== undefined && !key.isRacy && isSameState(key, stats)
}

export type FileSystem = ReturnType<typeof createFileSystem>

/**
 * What the file system of the work tree does with times and permissions. Asks by making files in a folder of ours: the
 * clock of a file system may be that of another machine, and counts in steps of its own. The folder should lie on the same
 * file system as the work tree; if it does not, only what has not changed for a while is trusted. Throws the system's error.
 */
export function createFileSystem(folder: string, workTree: string) {
  const isSame = statSync(folder).dev === statSync(workTree).dev
  const path = join(folder, 'clock')
  return {
    /** In milliseconds. What is changed after this call has this time or a later one. Throws the system's error. */
    now(): number {
      const fd = openSync(path, writeFlags, 0o600)
      try {
        writeSync(fd, '.', 0)
        return fstatSync(fd).ctimeMs - (isSame ? 0 : strangersSkew)
      } finally {
        closeSync(fd)
      }
    },
    ...probe(join(folder, createId('probe')), isSame),
  }
}

const strangersSkew = 5_000
// Not cut to nothing first: some file systems then write the new content to the disk at once.
const writeFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW

function probe(folder: string, isSame: boolean) {
  mkdirSync(folder, 0o700)
  try {
    const fd = openSync(join(folder, 'a'), writeFlags, 0o777)
    const umask = 0o777 & ~fstatSync(fd).mode
    closeSync(fd)
    const changes = [() => mkdirSync(join(folder, 'b')), () => rmSync(join(folder, 'a'))]
    const isMarked = changes.every(change => {
      utimesSync(folder, 1, 1)
      change()
      return statSync(folder).mtimeMs !== 1000
    })
    return {
      /** A directory gets a new time when a name in it comes, goes or changes. */
      marksDirectories: isSame && isMarked,
      /** The permissions that a new file does not get, whatever is asked for. */
      umask,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
