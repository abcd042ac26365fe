import { namesOf, splitPath } from '../files/index.ts'
import type { GitMode } from './git-objects.ts'
import type { StatKey } from './stat-key.ts'

/**
 * What is known of the workspace: the files of the last scan, each with what tells, without reading, that it is still the
 * same, and, where it is stored, with the object that holds its content.
 *
 * T1  Every `id` and every `tree` in here is in the store, reachable from a ref.
 * T2  A file whose key can be trusted (not `isRacy`) and is still the same has the content of its `id`.
 * T3  A directory whose key can be trusted and is still the same has the same names in it.
 */
export interface KnownDirectory<File = KnownFile> {
  readonly files: Map<string, File>
  /** Also those without a file in them. */
  readonly directories: Map<string, KnownDirectory<File>>
  /** Of the tree object, unless something below has changed since it was written. */
  tree: string | undefined
  key: StatKey | undefined
}

export interface KnownFile {
  readonly mode: GitMode
  /** Of the object with its content; one character per byte, see `binaryId`. */
  readonly id: string
  /** Replaced by a later one of the same state, which can be trusted more. */
  key: StatKey
}

export function createDirectory<File = KnownFile>(): KnownDirectory<File> {
  return { files: new Map(), directories: new Map(), tree: undefined, key: undefined }
}

function directoryAt<File>(root: KnownDirectory<File>, path: string): KnownDirectory<File> | undefined {
  let directory: KnownDirectory<File> | undefined = root
  for (const name of namesOf(path)) directory = directory?.directories.get(name)
  return directory
}

export function fileAt<File>(root: KnownDirectory<File>, path: string): File | undefined {
  const { parent, name } = splitPath(path)
  return directoryAt(root, parent)?.files.get(name)
}

/** The directory, made where it is not known yet. */
export function ensureDirectory<File>(root: KnownDirectory<File>, path: string): KnownDirectory<File> {
  let directory = root
  for (const name of namesOf(path)) {
    const below = directory.directories.get(name) ?? createDirectory<File>()
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

export function removeFile<File>(root: KnownDirectory<File>, path: string): void {
  const { parent, name } = splitPath(path)
  if (directoryAt(root, parent)?.files.delete(name)) forgetTrees(root, parent)
}

/** With everything below it. */
export function removeDirectory<File>(root: KnownDirectory<File>, path: string): void {
  const { parent, name } = splitPath(path)
  if (directoryAt(root, parent)?.directories.delete(name)) forgetTrees(root, parent)
}

/** The path of every file below. */
export function* pathsBelow(directory: KnownDirectory<unknown>, prefix = ''): Generator<string> {
  for (const name of directory.files.keys()) yield prefix + name
  for (const [name, below] of directory.directories) yield* pathsBelow(below, `${prefix}${name}/`)
}

export function countFiles(directory: KnownDirectory<unknown>): number {
  let count = directory.files.size
  for (const below of directory.directories.values()) count += countFiles(below)
  return count
}

function forgetTrees(root: KnownDirectory<unknown>, path: string): void {
  root.tree = undefined
  let directory: KnownDirectory<unknown> | undefined = root
  for (const name of namesOf(path)) {
    directory = directory?.directories.get(name)
    if (directory) directory.tree = undefined
  }
}
