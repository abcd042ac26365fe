import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import {
  contentDigest,
  createDirectoryChain,
  namesOf,
  readRegularFile,
  splitPath,
  writeFileAtomic,
} from '../files/index.ts'
import { type Clock, type Result, systemClock, wordsOf } from '../kit/index.ts'
import { type SelectedFile, selectFiles } from '../tree/index.ts'
import { archiveDirectory, type ExecutionLayout } from '../workspace/index.ts'
import { suffixed } from './output-sources.ts'

/**
 * One file of an archive. `moving` and `restoring` are intents that were not finished: the file is then in one of its two
 * places or, whole, in both. `archived`: it is at `to`.
 */
const archiveEntry = z.strictObject({
  /** The runtime id of a codon, or the id of a loop. */
  owner: z.string(),
  /** Relative to the agent workspace, with `/`. */
  from: z.string(),
  /** Relative to `rigArchive/`, with `/`; never used twice. */
  to: z.string(),
  kind: z.enum(['file', 'symlink']),
  /** Of the bytes; of a link, of where it points. */
  sha256: z.string(),
  mode: z.int(),
  movedAt: z.iso.datetime(),
  runId: z.string(),
  /** The codon whose end set it off; for a loop, the last one. */
  codonId: z.string(),
  state: z.enum(['moving', 'archived', 'restoring']),
})
export type ArchiveEntry = Readonly<z.infer<typeof archiveEntry>>

const manifest = z.strictObject({ version: z.literal(1), entries: z.array(archiveEntry) })

export type ArchiveRead = Result<{ readonly entries: readonly ArchiveEntry[] }>

/** No file is an empty archive. A damaged one is a failure: to go on without it would be to forget files. Never rejects. */
export async function readArchive(path: string): Promise<ArchiveRead> {
  const read = await readRegularFile(path, { maxBytes })
  if (!read.ok)
    return read.reason === 'missing' ? { ok: true, entries: [] } : { ok: false, message: read.message }
  try {
    return { ok: true, entries: manifest.parse(JSON.parse(read.bytes.toString('utf8'))).entries }
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : wordsOf(error)
    return { ok: false, message: `${path} is damaged: ${why}` }
  }
}

/** Rejects with the system's error; then the old manifest is still there. */
export async function writeArchive(path: string, entries: readonly ArchiveEntry[]): Promise<void> {
  const lines = entries.map(entry => JSON.stringify(entry)).join(',\n')
  await writeFileAtomic(path, `{"version":1,"entries":[\n${lines}\n]}\n`)
}

const maxBytes = 256 << 20

export interface ArchiveRequest extends Pick<ArchiveEntry, 'owner' | 'runId' | 'codonId'> {
  readonly patterns: readonly string[]
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

/** Plain data for the journal. */
export interface ArchivePlan {
  readonly entries: readonly ArchiveEntry[]
}

export type ArchivePlanned = Result<
  { readonly plan: ArchivePlan; readonly warnings: readonly string[] },
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped'; readonly reason: unknown }
>

/**
 * What an archive would move, and where to; changes nothing. Files and links that the patterns select, those below `.git`
 * too, since an archive clears the workspace; never the data. Where the archive has the name already, from an earlier
 * run of the codon, the new one gets `~2`, `~3` and so on. Sockets and the like stay where they are, with a warning.
 * Never rejects.
 */
export async function planArchive(layout: ExecutionLayout, request: ArchiveRequest): Promise<ArchivePlanned> {
  const { agentRoot, archiveManifest } = layout
  const { patterns, owner, signal } = request
  const workspace = createDirectoryChain(agentRoot)
  try {
    const known = await readArchive(archiveManifest)
    if (!known.ok) return { ok: false, kind: 'failed', message: known.message }
    const { files, unreadable, idle } = await selectFiles({ agentRoot, patterns, signal })
    const warnings = [
      ...unreadable.map(path => `archive: ${path} cannot be looked into`),
      ...idle.map(pattern => `archiveOnSuccess of ${owner}: the pattern ${pattern} matches nothing`),
    ]
    const placeOf = createPlaces(layout, owner, known.entries)
    const describe = describer(request)
    const entries: ArchiveEntry[] = []
    for (const file of files) {
      signal?.throwIfAborted()
      const { parent, name } = splitPath(file.path)
      const sha256 = await contentDigest(workspace.mustEnter(namesOf(parent)).at(name), signal)
      if (sha256 === undefined) warnings.push(`archive: ${file.path} is not a regular file; it stays`)
      else entries.push(describe(file, sha256, placeOf(file.path)))
    }
    return { ok: true, plan: { entries }, warnings }
  } catch (error) {
    if (signal?.aborted) return { ok: false, kind: 'stopped', reason: signal.reason }
    return { ok: false, kind: 'failed', message: `archive of ${owner}: ${wordsOf(error)}` }
  } finally {
    workspace.close()
  }
}

function describer({ owner, runId, codonId, clock = systemClock }: ArchiveRequest) {
  const movedAt = clock.now().toISOString()
  return ({ path, stats }: SelectedFile, sha256: string, to: string): ArchiveEntry => ({
    owner,
    from: path,
    to,
    kind: stats.isFile() ? 'file' : 'symlink',
    sha256,
    mode: stats.mode & 0o7777,
    movedAt,
    runId,
    codonId,
    state: 'moving',
  })
}

/** Where in the archive files of the workspace go; each place is given out once. */
function createPlaces(layout: ExecutionLayout, owner: string, known: readonly ArchiveEntry[]) {
  const files = new Set(known.map(entry => entry.to))
  const folders = new Set<string>()
  const statsOf = (place: string) => lstatSync(join(layout.rigArchive, place), { throwIfNoEntry: false })
  const canBeFolder = (place: string) => !files.has(place) && (statsOf(place)?.isDirectory() ?? true)
  const canBeFile = (place: string) => !files.has(place) && !folders.has(place) && !statsOf(place)

  return (path: string): string => {
    const { parent, name } = splitPath(path)
    let folder = basename(archiveDirectory(layout, owner))
    for (const above of namesOf(parent)) {
      folder = firstThat(canBeFolder, folder, above)
      folders.add(folder)
    }
    const place = firstThat(canBeFile, folder, name)
    files.add(place)
    return place
  }
}

function firstThat(fits: (place: string) => boolean, folder: string, name: string): string {
  let place = `${folder}/${name}`
  for (let version = 2; !fits(place); version++) place = `${folder}/${suffixed(name, `~${version}`)}`
  return place
}
