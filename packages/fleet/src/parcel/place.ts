import {
  closeSync,
  fchmodSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether a path of a parcel stays inside of where it is unpacked, by its spelling alone. */
export function isInside(path: string): boolean {
  const parts = path.split('/')
  return (
    path !== '' && !path.includes('\0') && parts.every(part => part !== '' && part !== '.' && part !== '..')
  )
}

interface FileWish {
  readonly mode: number
  /** When its content was changed; absent: now. */
  readonly mtimeMs?: number | undefined
}

/** Writes below a root that nobody else works in. Never through a link: a parcel may bring one along and name a file behind it. */
export function createPlacer(root: string) {
  /** The folder that was looked at last: its neighbours follow each other. */
  let sure: string | undefined
  /** The whole path, once its folders are there; undefined: one is missing and was not to be made. */
  const behindFolders = (path: string, makes: boolean): string | undefined => {
    const folder = dirname(path)
    if (folder === sure) return join(root, path)
    const parts = folder === '.' ? [] : folder.split('/')
    let at = root
    for (const part of parts) {
      at = join(at, part)
      const there = lstatSync(at, { throwIfNoEntry: false })
      if (there && !there.isDirectory()) throw new Error(`${path} lies behind something that is no folder`)
      if (!there && !makes) return undefined
      if (!there) mkdirSync(at, { mode: 0o755 })
    }
    sure = folder
    return join(root, path)
  }
  const parentOf = (path: string): string => behindFolders(path, true) ?? root
  const cleared = (path: string): string => {
    const whole = parentOf(path)
    if (lstatSync(whole, { throwIfNoEntry: false })) remove(whole)
    return whole
  }
  const remove = (whole: string): void => {
    sure = undefined
    rmSync(whole, { recursive: true, force: true })
  }
  return {
    folder(path: string): void {
      const whole = parentOf(path)
      const there = lstatSync(whole, { throwIfNoEntry: false })
      if (there?.isDirectory()) return
      if (there) remove(whole)
      mkdirSync(whole, { mode: 0o755 })
    },
    link(path: string, target: string): void {
      symlinkSync(target, cleared(path))
    },
    file(path: string, bytes: Buffer, { mode, mtimeMs }: FileWish): void {
      const whole = cleared(path)
      const file = openSync(whole, 'wx', 0o600)
      try {
        writeSparsely(file, bytes)
        if (mtimeMs !== undefined) futimesSync(file, mtimeMs / 1000, mtimeMs / 1000)
        fchmodSync(file, mode)
      } finally {
        closeSync(file)
      }
    },
    /** Goes on with a file that is so long already. */
    append(path: string, bytes: Buffer, from: number): void {
      const whole = parentOf(path)
      const there = lstatSync(whole, { throwIfNoEntry: false })
      if (!there?.isFile() || there.size !== from)
        throw new Error(`${path} is not what the parcel goes on from`)
      const file = openSync(whole, 'r+')
      try {
        writeAll(file, bytes, from)
      } finally {
        closeSync(file)
      }
    },
    remove(path: string): void {
      const whole = behindFolders(path, false)
      if (whole !== undefined) remove(whole)
    },
  }
}

const holeBytes = 64 * 1024
const hole = Buffer.alloc(holeBytes)

/** A long row of zeros becomes a hole: disk images have gigabytes of them. */
function writeSparsely(file: number, bytes: Buffer): void {
  if (bytes.length < 2 * holeBytes) {
    writeAll(file, bytes, 0)
    return
  }
  ftruncateSync(file, bytes.length)
  for (let at = 0; at < bytes.length; at += holeBytes) {
    const piece = bytes.subarray(at, at + holeBytes)
    if (!piece.equals(hole.subarray(0, piece.length))) writeAll(file, piece, at)
  }
}

function writeAll(file: number, bytes: Buffer, from: number): void {
  let at = 0
  while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, from + at)
}
