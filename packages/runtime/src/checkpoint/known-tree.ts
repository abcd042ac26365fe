import type { Stats } from 'node:fs'
import { isSameState, namesOf, splitPath } from '../files/index.ts'
import type { GitMode } from './git-mode.ts'

/**
 * What is known of the workspace: the files of the last look, each with the object that holds its content and with what
 * tells, without reading, that the file is still the same.
 *
 * T1  Every `id` and every `tree` in here is in the store, reachable from a ref.
 * T2  A file whose stamp can be trusted (not `isYoung`) and is still the same has the content of its `id`.
 * T3  A directory whose stamp can be trusted and is still the same has the same names in it.
 */
export interface KnownDirectory {
  readonly files: Map<string, KnownFile>
  /** Also those without a file in them. */
  readonly directories: Map<string, KnownDirectory>
  /** Of the tree object, unless something below has changed since it was written. */
  tree: string | undefined
  stamp: Stamp | undefined
}

export interface KnownFile {
  readonly mode: GitMode
  /** Of the object with its content; one character per byte, see `binaryId`. */
  readonly id: string
  /** Replaced by a later one of the same state, which can be trusted more. */
  stamp: Stamp
}

/** Flat and small: there may be a hundred thousand. */
export interface Stamp {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** The lower 32 bits, which is what git keeps. */
  readonly ino: number
  readonly uid: number
  readonly gid: number
  /** Changed so shortly before it was looked at that it can change again and look the same. */
  readonly isYoung: boolean
  /** The same for someone who sees whole seconds only, as git does: it cannot. */
  readonly isSettled: boolean
}

/** `now` is the time of the file system just before the look. */
export function stampOf(stats: Stats, now: number): Stamp {
  const { size, mtimeMs, ctimeMs, ino, uid, gid } = stats
  const isYoung = ctimeMs >= now - margin
  const isSettled = Math.floor(ctimeMs / 1000) < Math.floor((now - margin) / 1000)
  return { size, mtimeMs, ctimeMs, ino: ino >>> 0, uid, gid, isYoung, isSettled }
}

export function isUnchanged(stamp: Stamp | undefined, stats: Stats): boolean {
  return stamp !== undefined && !stamp.isYoung && isSameState(stamp, stats)
}

// A change that comes after the look has a later time than the file system had before it, but for what the clocks of
// several processors may differ.
const margin = 20

export function createDirectory(): KnownDirectory {
  return { files: new Map(), directories: new Map(), tree: undefined, stamp: undefined }
}

function directoryAt(root: KnownDirectory, path: string): KnownDirectory | undefined {
  let directory: KnownDirectory | undefined = root
  for (const name of namesOf(path)) directory = directory?.directories.get(name)
  return directory
}

export function fileAt(root: KnownDirectory, path: string): KnownFile | undefined {
  const { parent, name } = splitPath(path)
  return directoryAt(root, parent)?.files.get(name)
}

/** The directory, made where it is not known yet. */
export function ensureDirectory(root: KnownDirectory, path: string): KnownDirectory {
  let directory = root
  for (const name of namesOf(path)) {
    const below = directory.directories.get(name) ?? createDirectory()
    directory.directories.set(name, below)
    directory = below
  }
  return directory
}

export function setFile(root: KnownDirectory, path: string, file: KnownFile): void {
  const { parent, name } = splitPath(path)
  const files = ensureDirectory(root, parent).files
  const before = files.get(name)
  files.set(name, file)
  if (before?.id !== file.id || before.mode !== file.mode) forgetTrees(root, parent)
}

export function removeFile(root: KnownDirectory, path: string): void {
  const { parent, name } = splitPath(path)
  if (directoryAt(root, parent)?.files.delete(name)) forgetTrees(root, parent)
}

/** With everything below it. */
export function removeDirectory(root: KnownDirectory, path: string): void {
  const { parent, name } = splitPath(path)
  if (directoryAt(root, parent)?.directories.delete(name)) forgetTrees(root, parent)
}

/** Every file below, with its path from the root. */
export function* filesBelow(directory: KnownDirectory, prefix: string): Generator<[string, KnownFile]> {
  for (const [name, file] of directory.files) yield [prefix + name, file]
  for (const [name, below] of directory.directories) yield* filesBelow(below, `${prefix}${name}/`)
}

export function countFiles(directory: KnownDirectory): number {
  let count = directory.files.size
  for (const below of directory.directories.values()) count += countFiles(below)
  return count
}

function forgetTrees(root: KnownDirectory, path: string): void {
  root.tree = undefined
  let directory = root
  for (const name of namesOf(path)) {
    const below = directory.directories.get(name)
    if (!below) return
    below.tree = undefined
    directory = below
  }
}
