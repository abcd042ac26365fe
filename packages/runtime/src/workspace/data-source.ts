import type { Stats } from 'node:fs'
import { lstat, mkdir, readdir, readlink, rename, rmdir, stat, symlink, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ensureDir, waysBelow, wordsOf } from '../files/index.ts'
import { createId, errorCode, type Refused, type Result } from '../kit/index.ts'
import { dataSourceName } from '../tree/index.ts'
import { sweepLeftovers, unfinishedName } from './classify-directory.ts'
import { type CopyLimits, copyData } from './data-copy.ts'
import type { LinkType } from './execution-file.ts'
import type { ExecutionLayout } from './layout.ts'

export interface DataSourceOptions {
  readonly layout: ExecutionLayout
  /** Absolute path of a file or directory; undefined: no data. */
  readonly data: string | undefined
  readonly copy: boolean
  /** An existing directory of ours in the execution, outside the workspace, for unfinished work. */
  readonly staging: string
  /** Absolute paths that a copy leaves out besides the execution itself. */
  readonly exclude?: readonly string[]
  readonly limits?: Partial<CopyLimits>
}

export type DataSourceResult = Result<{ readonly linkType: LinkType; readonly notes: readonly string[] }>

/** What will become `read_only_data_source`, made in `staging` under the name `draft`. */
export type PreparedData = Extract<DataSourceResult, { ok: true }> & { readonly draft: string }

const draftPrefix = 'incoming'

/**
 * Sees to it that the `read_only_data_source` of an execution is what it should be, and repairs it if not: a link to a
 * directory; a real directory with one link when the data is a file; a copy, of which only its absence is repaired; or a
 * directory without anything of ours when there is no data. Never rejects. `agentRoot` must exist.
 */
export async function repairData(options: DataSourceOptions): Promise<DataSourceResult> {
  const { data, layout } = options
  try {
    if (await isInPlace(options)) return { ok: true, linkType: linkTypeOf(options), notes: [] }
    const prepared = await prepareData(options)
    if (!prepared.ok) return prepared
    const wasThere = (await lstat(layout.dataSource).catch(() => undefined)) !== undefined
    const moved = await installData(prepared, options)
    const repaired = `${dataSourceName} ${wasThere ? 'was not what it should be' : 'was missing'} and has been repaired.`
    return { ...prepared, notes: [...prepared.notes, ...moved, repaired] }
  } catch (error) {
    return failure(data, error)
  }
}

/** Makes link, directory or copy in `staging`, where a kill leaves it for the next start to remove. Never rejects. */
export async function prepareData(options: DataSourceOptions): Promise<PreparedData | Refused> {
  const { data, copy, staging, layout, exclude = [], limits } = options
  const linkType = linkTypeOf(options)
  try {
    await sweepLeftovers(staging, draftPrefix)
    const name = unfinishedName(draftPrefix)
    const draft = join(staging, name)
    const source = data === undefined ? undefined : await stat(data)
    if (source && !source.isFile() && !source.isDirectory())
      return { ok: false, message: `the data ${data} is neither a file nor a directory` }
    if (data === undefined || !copy) {
      await makeLink(draft, data, source)
      return { ok: true, linkType, draft: name, notes: await cycleNotes(options) }
    }
    const copied = await copyData({ data, target: draft, exclude: [...exclude, layout.dir], limits })
    return copied.ok ? { ok: true, linkType, draft: name, notes: copied.notes } : copied
  } catch (error) {
    return failure(data, error)
  }
}

/**
 * Puts prepared data in place. What is there and neither a link nor empty is kept in `<staging>/set-aside/`; the notes
 * say so. `staging` may have been renamed since the preparation. Rejects with the system's error.
 */
export async function installData(
  { draft }: PreparedData,
  { layout, staging }: Pick<DataSourceOptions, 'layout' | 'staging'>,
): Promise<readonly string[]> {
  const { dataSource } = layout
  const there = await lstat(dataSource).catch(() => undefined)
  const isGone = !there || (await isDropped(dataSource, there))
  const kept = join('set-aside', createId(dataSourceName))
  if (!isGone) {
    await ensureDir(join(staging, 'set-aside'))
    await rename(dataSource, join(staging, kept))
  }
  await rename(join(staging, draft), dataSource)
  return isGone ? [] : [`What was in place of ${dataSourceName} is now in ${join(staging, kept)}.`]
}

function linkTypeOf({ data, copy }: DataSourceOptions): LinkType {
  if (data === undefined) return 'none'
  return copy ? 'copy' : 'symlink'
}

async function isInPlace({ layout, data, copy }: DataSourceOptions): Promise<boolean> {
  const { dataSource } = layout
  const there = await lstat(dataSource).catch(() => undefined)
  if (!there) return false
  if (data === undefined || copy) return there.isDirectory()
  if ((await stat(data)).isDirectory()) return leadsTo(dataSource, data)
  return there.isDirectory() && (await leadsTo(join(dataSource, basename(data)), data))
}

async function leadsTo(link: string, target: string): Promise<boolean> {
  return (await readlink(link).catch(() => undefined)) === target
}

async function makeLink(draft: string, data: string | undefined, source: Stats | undefined): Promise<void> {
  if (data !== undefined && source?.isDirectory()) return symlink(data, draft, 'junction')
  await mkdir(draft, { mode: 0o700 })
  if (data !== undefined) await symlink(data, join(draft, basename(data)), 'file')
}

/** A link is ours to drop and an empty directory is nobody's loss. */
async function isDropped(path: string, stats: Stats): Promise<boolean> {
  if (stats.isSymbolicLink()) {
    await unlink(path)
    return true
  }
  if (!stats.isDirectory() || (await readdir(path)).length > 0) return false
  await rmdir(path)
  return true
}

async function cycleNotes({ data, layout }: DataSourceOptions): Promise<readonly string[]> {
  if (data === undefined || (await waysBelow(data, [layout.dir])).length === 0) return []
  return [
    `The data ${data} contains the execution directory, so the agent can reach it through ${dataSourceName}. Choose another executionBaseDir to avoid that.`,
  ]
}

function failure(data: string | undefined, error: unknown): Refused {
  if (data !== undefined && errorCode(error) === 'ENOENT')
    return { ok: false, message: `the data ${data} does not exist` }
  return { ok: false, message: `the data ${data ?? ''} cannot be put into the workspace: ${wordsOf(error)}` }
}
