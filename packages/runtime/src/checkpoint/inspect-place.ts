import { lstatSync, readdirSync, type Stats } from 'node:fs'
import {
  type DirectoryChain,
  type FileReader,
  type FileReading,
  nameOfBytes,
  namesOf,
} from '../files/index.ts'
import { blobIdOf, gitModeOf, objectId } from '../tree/index.ts'
import type { TreeEntry } from './diff.ts'

/** What stands where a file of a checkpoint belongs, and is in no checkpoint itself. */
export type Place =
  /** Nothing, once the removals are done and these directories are gone. */
  | { readonly kind: 'free'; readonly directories: readonly string[] }
  /** The very file. */
  | { readonly kind: 'alike'; readonly stats: Stats }
  /** Something else, at this path or above it. */
  | { readonly kind: 'taken'; readonly path: string }

export interface Inspection {
  readonly path: string
  readonly wanted: TreeEntry
  readonly directories: DirectoryChain
  /** Files that will be removed before. */
  readonly removed: ReadonlySet<string>
  readonly read: FileReader
}

/** Rejects with the system's error. */
export async function inspectPlace(inspection: Inspection): Promise<Place> {
  const { path, wanted, directories, removed, read } = inspection
  const entered = directories.reach(path)
  if (!entered.ok) {
    const isFree = entered.reason === 'missing' || removed.has(entered.path)
    return isFree ? free : { kind: 'taken', path: entered.path }
  }
  const at = entered.directory.entry(entered.name)
  const stats = lstatSync(at, { throwIfNoEntry: false })
  if (!stats) return free
  if (stats.isDirectory()) {
    const inside = directoriesWithin(path, { directories, removed })
    return inside ? { kind: 'free', directories: [path, ...inside] } : { kind: 'taken', path }
  }
  return (await isAlike(await read(at), wanted)) ? { kind: 'alike', stats } : { kind: 'taken', path }
}

const free: Place = { kind: 'free', directories: [] }

/** The directories below this one. `undefined`: there is also something that stays. */
function directoriesWithin(
  path: string,
  { directories, removed }: Pick<Inspection, 'directories' | 'removed'>,
): readonly string[] | undefined {
  const entered = directories.enter(namesOf(path))
  if (!entered.ok) return undefined
  const inside: string[] = []
  const entries = readdirSync(entered.directory.entry('.'), { withFileTypes: true, encoding: 'buffer' })
  for (const entry of entries) {
    const below = `${path}/${nameOfBytes(entry.name)}`
    if (!entry.isDirectory()) {
      if (!removed.has(below)) return undefined
      continue
    }
    const deeper = directoriesWithin(below, { directories, removed })
    if (!deeper) return undefined
    inside.push(below, ...deeper)
  }
  return inside
}

async function isAlike(reading: FileReading, { mode, oid }: TreeEntry): Promise<boolean> {
  if (reading.kind === 'read')
    return gitModeOf(reading.stats) === mode && objectId('blob', reading.bytes) === oid
  if (reading.kind !== 'large') return false
  const { file } = reading
  try {
    return gitModeOf(file.stats) === mode && (await blobIdOf(file)) === oid
  } finally {
    file.close()
  }
}
