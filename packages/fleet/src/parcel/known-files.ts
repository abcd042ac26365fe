import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What was last seen of a file. The same in all of it: the same content. */
interface Seen {
  readonly size: number
  readonly stamp: string
}

/** Every path of an execution that moves with it, and how it was when last looked at. */
export type KnownFiles = ReadonlyMap<string, Seen>

export interface FoundFile extends Seen {
  readonly path: string
  readonly type: 'file' | 'directory' | 'link'
  readonly executable: boolean
}

/** This machine's own: locks, logs, indexes, caches that the next start makes anew, and the link to the data. */
const stays = [
  /^\.weave\/(?:lock|state\.json|fleet|logs(?:\/|$)|otel\.json)/,
  /^\.weave\/checkpoints\/(?:weave-index|weave-probes|known-)/,
  /^\.weave\/journal\/[^/]*\.(?:idx|index)$/,
  /^agentRoot\/read_only_data_source$/,
]

/** All that moves with an execution, each folder before what is in it. Sockets and pipes do not. */
export function filesOf(root: string): readonly FoundFile[] {
  const found: FoundFile[] = []
  const look = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (stays.some(pattern => pattern.test(path))) continue
      const stats = lstatSync(join(root, path), { throwIfNoEntry: false, bigint: true })
      if (!stats) continue
      const type = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'link'
      if (type === 'link' && !stats.isSymbolicLink()) continue
      const stamp = type === 'directory' ? '' : `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs}`
      const size = type === 'directory' ? 0 : Number(stats.size)
      found.push({ path, type, size, stamp, executable: (stats.mode & 0o100n) !== 0n })
      if (type === 'directory') look(path)
    }
  }
  look('')
  return found
}

export function known(files: readonly FoundFile[]): KnownFiles {
  return new Map(files.map(({ path, size, stamp }) => [path, { size, stamp }]))
}

/** A file that only ever grows, so that what is new is enough. */
export function onlyGrows(path: string): boolean {
  return /^\.weave\/journal\/events-\d+\.jsonl$/.test(path)
}

/** A file as it is up to a length that was seen: the journal may have grown since. */
export function readUpTo(path: string, size: number): Buffer {
  return readFileSync(path).subarray(0, size)
}
