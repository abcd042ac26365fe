import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { LargeFile } from '../files/index.ts'

/** What git knows of a file's mode. */
export type GitMode = typeof regular | typeof executable | typeof link

const regular = 0o100644
const executable = 0o100755
const link = 0o120000

/** `undefined`: a directory, or something that is not kept, such as a pipe. */
export function gitModeOf(stats: Stats): GitMode | undefined {
  if (stats.isSymbolicLink()) return link
  if (!stats.isFile()) return undefined
  return (stats.mode & 0o100) === 0 ? regular : executable
}

export function isLink(mode: GitMode): boolean {
  return mode === link
}

/** From git's own spelling. `undefined`: a directory, a submodule, or nothing that git writes. */
export function parseGitMode(text: string): GitMode | undefined {
  return spelledModes.get(text)
}

const spelledModes = new Map<string, GitMode>([
  ['100644', regular],
  // Written by very old versions of git, and not by us.
  ['100664', regular],
  ['100755', executable],
  ['120000', link],
])

/** The permission bits for a new file of this mode. */
export function permissionsOf(mode: GitMode, umask: number): number {
  return (mode === executable ? 0o777 : 0o666) & ~umask
}

/** Those for a file that takes the place of one; that one's are kept as far as they fit. */
export function permissionsLike(mode: GitMode, replaced: number): number {
  const bits = replaced & 0o777
  // Whoever may read the file may run it.
  return mode === executable ? bits | 0o100 | ((bits & 0o444) >> 2) : bits & ~0o111
}

export type ObjectType = 'commit' | 'tree' | 'blob'

/** In hexadecimal digits, as git shows it. */
export function objectId(type: ObjectType, content: Uint8Array): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/** Of a blob with the content of a large file. */
export async function blobIdOf(file: LargeFile, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha1').update(`blob ${file.stats.size}\0`)
  for await (const chunk of file.chunks(signal)) hash.update(chunk)
  return hash.digest('hex')
}

/** The same with one character per byte: half as long, and ready for a tree. */
export function binaryId(oid: string): string {
  return Buffer.from(oid, 'hex').toString('latin1')
}

export function hexId(id: string): string {
  return Buffer.from(id, 'latin1').toString('hex')
}
