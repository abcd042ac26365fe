import { createHash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import * as z from 'zod'
import { FleetFault } from '../fault.ts'
import { type FoundFile, filesOf, type KnownFiles, known, onlyGrows, readUpTo } from './known-files.ts'
import { createPlacer, isInside } from './place.ts'
import { packTar, type TarEntry, unpackTar } from './tar.ts'

export const parcelFormat = 1

const part = z.strictObject({
  path: z.string(),
  type: z.enum(['file', 'directory', 'link']),
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  /** Where the bytes go on from; absent: they are the whole file. */
  from: z.int().positive().optional(),
})

const manifestShape = z.strictObject({
  format: z.literal(parcelFormat),
  executionId: z.string(),
  epoch: z.int().nonnegative(),
  seq: z.int().positive(),
  /** The parcel that this one goes on from; null: it is whole. */
  base: z.int().positive().nullable(),
  parts: z.array(part),
  gone: z.array(z.string()),
})

export type Manifest = Readonly<z.infer<typeof manifestShape>>

export interface ParcelWish extends Pick<Manifest, 'executionId' | 'epoch' | 'seq'> {
  /** The execution directory, in which nothing works now but the journal. */
  readonly root: string
  /** What the parcel before held; absent: everything goes in. */
  readonly since?: { readonly seq: number; readonly files: KnownFiles } | undefined
}

export interface Parcel {
  readonly bytes: Buffer
  readonly files: KnownFiles
}

const manifestName = 'manifest.json'
const mostUnpacked = 2 ** 32

/** What changed in an execution since the parcel before, in one object. */
export async function makeParcel({ root, since, ...head }: ParcelWish): Promise<Parcel> {
  const found = filesOf(root)
  const entries: TarEntry[] = []
  const parts: Manifest['parts'] = []
  for (const file of found) {
    const before = since?.files.get(file.path)
    if (before && before.size === file.size && before.stamp === file.stamp) continue
    const from = before && onlyGrows(file.path) && before.size < file.size ? before.size : undefined
    const entry = entryOf(root, file, from)
    entries.push(entry)
    const more = from === undefined || from === 0 ? {} : { from }
    const content = entry.target === undefined ? entry.bytes : Buffer.from(entry.target)
    parts.push({ path: file.path, type: file.type, bytes: content.length, sha256: sha(content), ...more })
  }
  const there = new Set(found.map(({ path }) => path))
  const gone = [...(since?.files.keys() ?? [])].filter(path => !there.has(path))
  const manifest: Manifest = { format: parcelFormat, ...head, base: since?.seq ?? null, parts, gone }
  const first = fileEntry(manifestName, Buffer.from(JSON.stringify(manifest)))
  return { bytes: await promisify(gzip)(packTar([first, ...entries])), files: known(found) }
}

function entryOf(root: string, file: FoundFile, from: number | undefined): TarEntry {
  const { path, type, executable, size } = file
  const whole = join(root, path)
  if (type === 'directory') return { path, type, executable: false, bytes: Buffer.alloc(0) }
  if (type === 'link')
    return { path, type, executable: false, target: readlinkSync(whole), bytes: Buffer.alloc(0) }
  return { path, type, executable, bytes: readUpTo(whole, size).subarray(from ?? 0) }
}

function fileEntry(path: string, bytes: Buffer): TarEntry {
  return { path, type: 'file', executable: false, bytes }
}

/** Puts parcels on top of each other, the whole one first. All is checked before anything is written. */
export async function applyParcels(
  root: string,
  { executionId, parcels }: { readonly executionId: string; readonly parcels: readonly Buffer[] },
): Promise<{ readonly files: KnownFiles; readonly seq: number }> {
  let last: number | null = null
  for (const bytes of parcels) {
    const { manifest, entries } = await openParcel(bytes)
    if (manifest.executionId !== executionId || manifest.base !== last)
      throw refused(`it is parcel ${manifest.seq} of ${manifest.executionId}, on top of ${manifest.base}`)
    place(root, manifest, entries)
    last = manifest.seq
  }
  return { files: known(filesOf(root)), seq: last ?? 0 }
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

function check({ path, type, bytes, sha256 }: Manifest['parts'][number], entry: TarEntry | undefined): void {
  if (!isInside(path)) throw new Error(`${path} leads out of it`)
  const content = entry && (entry.target === undefined ? entry.bytes : Buffer.from(entry.target))
  const isWhole =
    entry?.path === path && entry.type === type && content?.length === bytes && sha(content) === sha256
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
      else placer.file(path, entry.bytes, modeOf(path, entry))
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

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function refused(what: string): FleetFault {
  return new FleetFault('FLEET_PARCEL', {
    message: `A parcel is refused: ${what}.`,
    cure: 'Restore the store from a backup, or submit the execution again.',
  })
}
