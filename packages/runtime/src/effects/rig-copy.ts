import { constants, copyFileSync, lstatSync, renameSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  checkRelativeSpelling,
  copyToNew,
  createDirectoryChain,
  type DirectoryChain,
  ensureDir,
  type HeldDirectory,
  openedUp,
  openRegular,
  permissionsOf,
  removeTree,
  resolveInside,
  walk,
} from '../files/index.ts'
import { createId, errorCode, type Result, wordsOf } from '../kit/index.ts'
import { dataSourceName } from '../tree/index.ts'
import type { RigEntry } from './rig-record.ts'

/** Where `copy.from` leads, looked up and scanned at the moment of the copy. */
export type CopySource = Result<{ readonly path: string }>

/** A target in the workspace, as components below it; none for the workspace itself. */
export type CopyTarget = Result<{ readonly components: readonly string[] }>

export interface CopyRequest {
  /** Absolute: a regular file or a directory. */
  readonly source: string
  readonly agentRoot: string
  readonly target: readonly string[]
  /** A directory outside the workspace, for files that are not whole yet: nobody who watches it should see them. */
  readonly scratch: string
  /** Only these are copied, and directories on the way to them; paths in the workspace. Absent: everything. */
  readonly wants?: ((path: string) => boolean) | undefined
  /** Told of a file before it is in its place, and of a directory that was made. A throw ends the copy. */
  readonly onPut?: ((entry: RigEntry) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CopyTotals {
  files: number
  bytes: number
}

/**
 * Where `copy.to` lies: inside the workspace, through no link, and not in the data, which is read-only also when it is no
 * link but a copy. Never throws.
 */
export function resolveCopyTarget(agentRoot: string, to: string): CopyTarget {
  const spelling = checkRelativeSpelling(to)
  const resolved = resolveInside(agentRoot, to)
  if (!spelling.ok || !resolved.ok) {
    const { reason, component } = resolved.ok ? { reason: 'outside', component: undefined } : resolved
    const where = component === undefined ? '' : ` at ${component}`
    return { ok: false, message: `copy.to ${to} is refused: ${refusals[reason] ?? reason}${where}` }
  }
  if (spelling.components[0] === dataSourceName) {
    return { ok: false, message: `copy.to ${to} is refused: ${dataSourceName} is read-only` }
  }
  return { ok: true, components: spelling.components }
}

/**
 * Copies a file, or everything in a directory, to a target in the workspace under its final name. A directory that is
 * already there is added to, a file that is already there is replaced; something of another kind in the way, a link
 * included, is an error. A file appears whole or not at all, with its permission bits. Nothing is synced here: after a
 * power cut the codon starts over, rig included, and its end syncs everything.
 *
 * `totals` counts while it goes on, so that it is right also when this rejects. It rejects with an error for people, or
 * with the reason of the signal; what was copied by then stays.
 */
export async function copyIntoWorkspace(request: CopyRequest, totals: CopyTotals): Promise<void> {
  const { source, agentRoot, target, scratch, signal, wants = () => true, onPut = () => undefined } = request
  const isDirectory = lstatSync(source).isDirectory()
  const from = createDirectoryChain(isDirectory ? source : dirname(source))
  const to = createDirectoryChain(agentRoot, path => onPut({ path, kind: 'directory', made: true }))
  const copy = { from, to, scratch, totals, signal, wants, onPut }
  try {
    await ensureDir(scratch)
    if (isDirectory) await copyTree(copy, source, target)
    else if (copy.wants(target.join('/'))) await copyFile(copy, [basename(source)], target)
  } finally {
    from.close()
    to.close()
    await removeTree(scratch)
  }
}

const refusals: Readonly<Record<string, string>> = {
  outside: 'it leaves the agent workspace',
  absolute: 'it is not relative to the agent workspace',
  backslash: 'it contains a backslash',
  nul: 'it contains an invalid character (NUL)',
  symlink: 'it passes through a symlink',
  unreadable: 'it cannot be looked at',
}

const caps = { maxEntries: 100_000, maxDepth: 64 }

interface Copy {
  readonly from: DirectoryChain
  readonly to: DirectoryChain
  readonly scratch: string
  readonly totals: CopyTotals
  readonly signal: AbortSignal | undefined
  readonly wants: (path: string) => boolean
  readonly onPut: (entry: RigEntry) => void
}

async function copyTree(copy: Copy, source: string, target: readonly string[]): Promise<void> {
  if (copy.wants(target.join('/'))) copy.to.mustEnter(target, 'make')
  for await (const item of walk(source, { ...caps, ...(copy.signal && { signal: copy.signal }) })) {
    if (item.kind === 'unreadable') throw new Error(`${item.path || source} cannot be read (${item.code})`)
    if (item.kind === 'capped') throw new Error(`there is too much to copy; it stopped at ${item.path}`)
    const components = item.path.split('/')
    const below = [...target, ...components]
    if (below[0] === dataSourceName) throw new Error(`${dataSourceName} is read-only`)
    if (!copy.wants(below.join('/'))) continue
    if (item.stats.isDirectory()) copy.to.mustEnter(below, 'make')
    else await copyFile(copy, components, below)
  }
}

/** The way to the source is anchored like the way to the target: it may be rearranged between the scan and now. */
async function copyFile(copy: Copy, source: readonly string[], target: readonly string[]): Promise<void> {
  const name = target.at(-1)
  if (name === undefined) throw new Error('a file needs a name in the workspace')
  const shown = target.join('/')
  const place = copy.from.mustEnter(source.slice(0, -1)).at(source.at(-1) ?? '')
  const opened = await openRegular(place).catch((error: unknown) => {
    throw new Error(`${source.join('/')} cannot be copied: ${wordsOf(error)}`, { cause: error })
  })
  try {
    const directory = copy.to.mustEnter(target.slice(0, -1), 'make')
    const present = lstatSync(directory.at(name), { throwIfNoEntry: false })
    const clash = clashAt(present)
    if (clash !== undefined) throw new Error(`${shown} is ${clash}; a file cannot take its place`)
    const temporary = join(copy.scratch, createId('copy'))
    await copyToNew(opened, temporary, { mode: permissionsOf(opened.stats), signal: copy.signal })
    copy.onPut({ path: shown, kind: 'file', made: !present })
    putInPlace(temporary, directory, name)
    copy.totals.files += 1
    copy.totals.bytes += opened.stats.size
  } finally {
    await opened.file.close()
  }
}

function clashAt(present: Stats | undefined): string | undefined {
  if (!present || present.isFile()) return undefined
  if (present.isDirectory()) return 'a directory'
  return present.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'
}

function putInPlace(temporary: string, directory: HeldDirectory, name: string): void {
  try {
    openedUp(directory.self, () => renameSync(temporary, directory.at(name)))
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    const beside = directory.at(`.${createId('weave-copy')}`)
    copyFileSync(temporary, beside, constants.COPYFILE_EXCL)
    renameSync(beside, directory.at(name))
  }
}
