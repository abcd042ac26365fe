import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  copyToNew,
  createDirectoryChain,
  type DirectoryChain,
  ensureDirDurably,
  everyDirectory,
  type HeldDirectory,
  namesOf,
  openRegular,
  permissionsOf,
  placeFile,
  splitPath,
  walk,
  wordsOf,
} from '../files/index.ts'
import { createConflictNames, mostConflicts, type NextName, type OutputSource } from './output-sources.ts'

/**
 * One copying of outputs: plain data for the journal, and all that a restart needs to take it back or tidy up after it.
 *
 * Files are first gathered, whole and synced, in a hidden directory inside the output directory. Then each gets its final
 * name as a second name of the same file. The hidden directory goes last, when the copy is on record; until then it
 * tells by identity which files in the output directory came from this copy and which are somebody else's.
 */
export interface OutputCopy {
  readonly id: string
  /** Absolute. */
  readonly directory: string
  readonly overwrite: boolean
}

export interface OutputFile {
  /** Relative to the agent workspace. */
  readonly from: string
  /** Relative to the output directory. */
  readonly to: string
  readonly bytes: number
}

export interface StageRequest {
  readonly agentRoot: string
  readonly sources: readonly OutputSource[]
  readonly signal?: AbortSignal | undefined
}

export function stagingOf({ directory, id }: OutputCopy): string {
  return join(directory, `.weave-${id}`)
}

export async function openStaging(copy: OutputCopy): Promise<void> {
  await ensureDirDurably(copy.directory, 0o777)
  mkdirSync(stagingOf(copy), { mode: 0o700 })
}

/** Gathers files; one that was gathered before is gathered anew. Rejects with words for people or the signal's reason. */
export async function stageFiles(copy: OutputCopy, request: StageRequest): Promise<void> {
  const { agentRoot, sources, signal } = request
  const from = createDirectoryChain(agentRoot)
  const to = createDirectoryChain(stagingOf(copy))
  try {
    for (const source of sources) {
      try {
        await stageFile(source, { from, to, signal })
      } catch (error) {
        signal?.throwIfAborted()
        throw new Error(`${source.path} cannot be copied: ${wordsOf(error)}`, { cause: error })
      }
    }
  } finally {
    from.close()
    to.close()
  }
}

/** Gives every gathered file its name in the output directory and syncs the directories. Rejects like `stageFiles`. */
export async function publishStaged(
  copy: OutputCopy,
  now: Date,
  signal?: AbortSignal,
): Promise<readonly OutputFile[]> {
  const published: OutputFile[] = []
  const conflicts = new Map<string, NextName>()
  const from = createDirectoryChain(stagingOf(copy))
  const to = createDirectoryChain(copy.directory)
  try {
    for await (const { path, parent, name, bytes } of stagedFiles(copy, signal)) {
      const file = from.mustEnter(namesOf(parent)).at(name)
      const directory = to.mustEnter(namesOf(parent), 'make')
      const nextName = () => conflictsIn(parent, directory, conflicts)(name, now)
      let final: string | undefined = name
      // A link under the final name is replaced, not followed.
      if (copy.overwrite) renameSync(file, directory.at(name))
      else while (final !== undefined && !(await placeFile(file, directory, final))) final = nextName()
      if (final === undefined)
        throw new Error(`${path} already has ${mostConflicts} renamed copies in ${copy.directory}`)
      published.push({ from: path, to: pathBelow(parent, final), bytes })
    }
    for (const folder of everyDirectory(published.map(file => file.to))) await to.mustEnter(folder).sync()
  } finally {
    from.close()
    to.close()
  }
  return published
}

/** What a copy has gathered and, without `overwrite`, still holds. */
export async function* stagedFiles(copy: OutputCopy, signal?: AbortSignal) {
  for await (const item of walk(stagingOf(copy), { ...caps, ...(signal && { signal }) })) {
    if (item.kind !== 'entry') throw new Error(`${item.path} cannot be read in ${stagingOf(copy)}`)
    const { path, stats } = item
    if (stats.isFile()) yield { path, ...splitPath(path), bytes: stats.size }
  }
}

export function pathBelow(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`
}

const caps = { maxEntries: 4_000_000, maxDepth: 130 }

interface Chains {
  readonly from: DirectoryChain
  readonly to: DirectoryChain
  readonly signal: AbortSignal | undefined
}

async function stageFile({ path, source }: OutputSource, { from, to, signal }: Chains): Promise<void> {
  signal?.throwIfAborted()
  const origin = splitPath(source)
  const opened = await openRegular(from.mustEnter(namesOf(origin.parent)).at(origin.name))
  try {
    const { parent, name } = splitPath(path)
    const target = to.mustEnter(namesOf(parent), 'make').at(name)
    rmSync(target, { force: true })
    await copyToNew(opened, target, { mode: permissionsOf(opened.stats), sync: true, signal })
  } finally {
    await opened.file.close()
  }
}

/** Read once per directory, at its first conflict. */
function conflictsIn(folder: string, directory: HeldDirectory, known: Map<string, NextName>): NextName {
  const names = known.get(folder) ?? createConflictNames(readdirSync(directory.at('.')))
  known.set(folder, names)
  return names
}
