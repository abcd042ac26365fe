import { mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WeaveState } from '@weave/protocol'
import { type ArchiveEntry, readArchive, writeArchive } from '../effects/index.ts'
import { createSelections } from '../execution/index.ts'
import { cloneFile, fileNameOf, walkPaths } from '../files/index.ts'
import { errorCode, type Result } from '../kit/index.ts'
import { dataSourceName } from '../tree/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { ReadPlace } from './read-place.ts'

/** Files of a workspace that are in no checkpoint, and some names for people. */
export interface Untracked {
  readonly paths: readonly string[]
  /** Right below the workspace. */
  readonly names: readonly string[]
}

const mostUntracked = 1_000_000

/**
 * What no codon that ever began selects. Data is not among it. What a version has was selected, and need not be asked for: its
 * names, each with a NUL behind it.
 */
export async function untrackedIn(
  { layout, plan, state }: ReadPlace,
  versioned: Promise<Buffer>,
): Promise<Untracked> {
  const without = new Set((await versioned).toString('utf8').split('\0'))
  const selection = createSelections({ plan, state: () => state }).ofAll()
  const paths: string[] = []
  const skip = (path: string): boolean => path === dataSourceName
  const caps = { maxEntries: mostUntracked, maxDepth: 200 }
  for await (const path of walkPaths(layout.agentRoot, { ...caps, skip, without }))
    if (!selection.selects(path)) paths.push(path)
  return { paths, names: [...new Set(paths.map(path => path.split('/')[0] ?? path))] }
}

/** Links as they are, files with their modes. Rejects with the system's error. */
export async function copyUntracked(paths: readonly string[], from: string, to: string): Promise<void> {
  for (const path of paths) {
    const target = join(to, path)
    mkdirSync(dirname(target), { recursive: true })
    await copyEntry(join(from, path), target)
  }
}

async function copyEntry(from: string, to: string): Promise<void> {
  try {
    await cloneFile(from, to)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST' || code === 'ENOENT') return
    throw error
  }
}

/** A link is copied as a link, before anything follows it. */
export function copyLinks(paths: readonly string[], from: string, to: string): readonly string[] {
  return paths.filter(path => {
    try {
      const target = readlinkSync(join(from, path))
      mkdirSync(dirname(join(to, path)), { recursive: true })
      symlinkSync(target, join(to, path))
      return false
    } catch (error) {
      return errorCode(error) === 'EINVAL'
    }
  })
}

/** The archive of the codons that are done in a state. */
export async function copyArchive(
  from: ExecutionLayout,
  to: ExecutionLayout,
  state: WeaveState,
): Promise<Result> {
  const archive = await readArchive(from.archiveManifest)
  if (!archive.ok) return archive
  const done = new Set(
    state.runs.flatMap(({ runId, codons }) =>
      codons.filter(({ status }) => status === 'completed').map(({ codonId }) => `${runId} ${codonId}`),
    ),
  )
  const kept = archive.entries.filter(
    ({ runId, codonId, state: standing }: ArchiveEntry) =>
      standing === 'archived' && done.has(`${runId} ${codonId}`),
  )
  if (kept.length === 0) return { ok: true }
  const paths = kept.map(entry => entry.to)
  await copyUntracked(copyLinks(paths, from.rigArchive, to.rigArchive), from.rigArchive, to.rigArchive)
  await writeArchive(to.archiveManifest, kept)
  return { ok: true }
}

/** What the runtime wrote down about the codons of a state: raw messages, prompts, what rigs made, places in a script. */
export async function copyRecords(
  from: ExecutionLayout,
  to: ExecutionLayout,
  state: WeaveState,
): Promise<void> {
  for (const folder of ['sessions', 'prompts'])
    for (const { runId, codons } of state.runs) {
      const names = new Set(codons.map(({ codonId }) => `${fileNameOf(codonId)}.jsonl`))
      const place = join(folder, fileNameOf(runId))
      await copyNamed(join(from.internals, place), join(to.internals, place), names)
    }
  const codons = state.runs.flatMap(run => run.codons.map(({ codonId }) => `${fileNameOf(codonId)}.jsonl`))
  await copyNamed(join(from.internals, 'rigs'), join(to.internals, 'rigs'), new Set(codons))
  await copyNamed(from.internals, to.internals, new Set(['rehearsal.jsonl', 'settings.json']))
}

async function copyNamed(from: string, to: string, names: ReadonlySet<string>): Promise<void> {
  const found = (await readdir(from).catch(() => [])).filter(name => names.has(basename(name)))
  if (found.length > 0) await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of found) await copyEntry(join(from, name), join(to, name))
}
