import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { findFiles } from './find-files.ts'
import type { KnownFiles } from './known-files.ts'
import { type Manifest, type ManifestPart, manifestName, manifestShape, refused, shaOf } from './manifest.ts'
import { createPlacer, isInside } from './place.ts'
import { type TarEntry, unpackTar } from './tar.ts'

const mostUnpacked = 2 ** 32

export interface Chain {
  readonly executionId: string
  /** The whole one first; each is asked for when those before it are in place. */
  readonly parcels: Iterable<Buffer | Promise<Buffer>>
}

/**
 * Puts parcels on top of each other in a folder that nobody else has yet. Each is checked whole before anything of it is
 * written.
 */
export async function applyParcels(
  root: string,
  { executionId, parcels }: Chain,
): Promise<{ readonly files: KnownFiles; readonly seq: number }> {
  let last: number | null = null
  for (const bytes of parcels) {
    const { manifest, entries } = await openParcel(await bytes)
    if (manifest.executionId !== executionId || manifest.base !== last)
      throw refused(`it is parcel ${manifest.seq} of ${manifest.executionId}, on top of ${manifest.base}`)
    place(root, manifest, entries)
    last = manifest.seq
  }
  // Nobody can change these files before the folder has its name, and then their times are other ones.
  const { files } = await findFiles(root, {})
  return { files: new Map(files.map(file => [file.path, file])), seq: last ?? 0 }
}

/** Refuses everything that is not exactly what its manifest says. */
export async function openParcel(
  bytes: Buffer,
): Promise<{ readonly manifest: Manifest; readonly entries: readonly TarEntry[] }> {
  try {
    const [first, ...entries] = unpackTar(await promisify(gunzip)(bytes, { maxOutputLength: mostUnpacked }))
    if (first?.path !== manifestName) throw new Error('it does not begin with its manifest')
    const manifest = manifestShape.parse(JSON.parse(first.bytes.toString('utf8')))
    if (entries.length !== manifest.parts.length)
      throw new Error('it holds more or less than its manifest says')
    for (const [at, each] of manifest.parts.entries()) check(each, entries[at])
    const bad = manifest.gone.find(path => !isInside(path))
    if (bad !== undefined) throw new Error(`${bad} leads out of it`)
    return { manifest, entries }
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error))
  }
}

function check({ path, type, bytes, sha256 }: ManifestPart, entry: TarEntry | undefined): void {
  if (!isInside(path)) throw new Error(`${path} leads out of it`)
  const content = entry && (entry.target === undefined ? entry.bytes : Buffer.from(entry.target))
  const isWhole =
    entry?.path === path && entry.type === type && content?.length === bytes && shaOf(content) === sha256
  if (!isWhole) throw new Error(`${path} is not what the manifest says`)
  if ((type === 'link') !== (entry.target !== undefined))
    throw new Error(`${path} is not what the manifest says`)
}

function place(root: string, manifest: Manifest, entries: readonly TarEntry[]): void {
  const placer = createPlacer(root)
  try {
    for (const path of manifest.gone) placer.remove(path)
    for (const [at, { path, from }] of manifest.parts.entries()) {
      const entry = entries[at]
      if (!entry) continue
      if (entry.type === 'directory') placer.folder(path)
      else if (entry.target !== undefined) placer.link(path, entry.target)
      else if (from !== undefined) placer.append(path, entry.bytes, from)
      else placer.file(path, entry.bytes, { mode: modeOf(path, entry), mtimeMs: entry.mtimeMs })
    }
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error))
  }
}

/** Ours are for nobody else's eyes. */
function modeOf(path: string, { executable }: TarEntry): number {
  if (path.startsWith('.weave/')) return executable ? 0o700 : 0o600
  return executable ? 0o755 : 0o644
}
