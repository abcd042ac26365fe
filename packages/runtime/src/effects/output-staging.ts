import { mkdirSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  copyToNew,
  createDirectoryChain,
  type DirectoryChain,
  ensureDirDurably,
  everyDirectory,
  type HeldDirectory,
  openRegular,
  permissionsOf,
  placeFile,
  walk,
  wordsOf,
} from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import {
  type ConflictNames,
  createConflictNames,
  mostConflicts,
  type OutputSource,
} from './output-sources.ts'

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

export interface StagedFile {
  readonly path: string
  readonly parents: readonly string[]
  readonly name: string
  readonly bytes: number
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
  const conflicts = new Map<string, ConflictNames>()
  const from = createDirectoryChain(stagingOf(copy))
  const to = createDirectoryChain(copy.directory)
  try {
    for await (const { path, parents, name, bytes } of stagedFiles(copy, signal)) {
      const file = from.mustEnter(parents).at(name)
      const directory = to.mustEnter(parents, 'make')
      const place = {
        directory,
        name,
        now,
        names: () => conflictsIn(parents.join('/'), directory, conflicts),
      }
      const final = copy.overwrite ? replace(file, directory, name) : await placeBeside(file, place)
      if (final === undefined)
        throw new Error(`${path} already has ${mostConflicts} renamed copies in ${copy.directory}`)
      published.push({ from: path, to: [...parents, final].join('/'), bytes })
    }
    for (const folder of everyDirectory(published.map(file => file.to))) await to.mustEnter(folder).sync()
  } finally {
    from.close()
    to.close()
  }
  return published
}

/** What a copy has gathered and, without `overwrite`, still holds. */
export async function* stagedFiles(
  copy: OutputCopy,
  signal?: AbortSignal,
): AsyncGenerator<StagedFile, void, undefined> {
  for await (const item of walk(stagingOf(copy), { ...caps, ...(signal && { signal }) })) {
    if (item.kind !== 'entry') throw new Error(`${item.path} cannot be read in ${stagingOf(copy)}`)
    if (!item.stats.isFile()) continue
    const parents = item.path.split('/')
    const name = parents.pop() ?? ''
    yield { path: item.path, parents, name, bytes: item.stats.size }
  }
}

const caps = { maxEntries: 4_000_000, maxDepth: 130 }

interface Chains {
  readonly from: DirectoryChain
  readonly to: DirectoryChain
  readonly signal: AbortSignal | undefined
}

async function stageFile({ path, components }: OutputSource, { from, to, signal }: Chains): Promise<void> {
  signal?.throwIfAborted()
  const source = await openRegular(from.mustEnter(components.slice(0, -1)).at(components.at(-1) ?? ''))
  try {
    const parents = path.split('/')
    const name = parents.pop() ?? ''
    const target = to.mustEnter(parents, 'make').at(name)
    unlinkIfPresent(target)
    await copyToNew(source, target, { mode: permissionsOf(source.stats), sync: true, signal })
  } finally {
    await source.file.close()
  }
}

interface Placing {
  readonly directory: HeldDirectory
  readonly name: string
  readonly now: Date
  readonly names: () => ConflictNames
}

/** Under its own name, or the next name for a conflict; `undefined` when there is none left. */
async function placeBeside(
  file: string,
  { directory, name, now, names }: Placing,
): Promise<string | undefined> {
  let candidate: string | undefined = name
  while (candidate !== undefined && !(await placeFile(file, directory, candidate)))
    candidate = names().next(name, now)
  return candidate
}

/** A link under the final name is replaced, not followed. */
function replace(file: string, directory: HeldDirectory, name: string): string {
  renameSync(file, directory.at(name))
  return name
}

/** Read once per directory, at its first conflict. */
function conflictsIn(
  folder: string,
  directory: HeldDirectory,
  known: Map<string, ConflictNames>,
): ConflictNames {
  const names = known.get(folder) ?? createConflictNames(readdirSync(directory.at('.')))
  known.set(folder, names)
  return names
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
