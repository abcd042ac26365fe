import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { entryOf, nameOfBytes, replacementCharacter } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { gitModeOf } from './git-objects.ts'
import { fileAt, filesBelow, type KnownDirectory } from './known-tree.ts'
import { gitName, type Selection } from './selection.ts'
import { type FileSystem, isUnchanged, statKeyOf } from './stat-key.ts'

/** Something that a scan could not see. */
export type Gap =
  | { readonly kind: 'unreadable'; readonly path: string; readonly code: string }
  /** A cap left something out, first of all `path`. */
  | { readonly kind: 'capped'; readonly cap: 'entries' | 'depth'; readonly path: string }

export interface ScanLimits {
  /** Names seen in one scan, whether selected or not. */
  readonly maxEntries: number
  /** An entry right below the root has depth 1; directories at this depth are not entered. */
  readonly maxDepth: number
}

/** Of checkpoints and events alike: what clients are told is what a checkpoint holds. */
const defaultLimits: ScanLimits = { maxEntries: Number.POSITIVE_INFINITY, maxDepth: 200 }

interface Surroundings {
  readonly workTree: string
  readonly selection: Pick<Selection, 'selects' | 'covers' | 'mayHold'>
  /** What the tree is compared with. Stays as it is, but for keys that can be trusted more by now. */
  readonly known: KnownDirectory
  readonly limits?: ScanLimits | undefined
  readonly signal?: AbortSignal | undefined
  readonly onGap: (gap: Gap) => void
}

export interface ScanRequest extends Surroundings {
  readonly fileSystem: Pick<FileSystem, 'now' | 'marksDirectories'>
  /** Of the files in `known`, those that git finds changed since an index file was written, and those not listed there. */
  readonly changedByGit?: ((signal?: AbortSignal) => Promise<readonly string[] | undefined>) | undefined
}

/** How the tree differs from what is known. */
export interface Scan {
  /** The time of the file system before the scan. */
  readonly now: number
  /** Selected files and links that are new, or may hold something else than is known. */
  readonly found: ReadonlyMap<string, Stats>
  /** Known files that are not there, or not selected, any more. */
  readonly gone: ReadonlySet<string>
  /** The directories that were read. */
  readonly directories: ReadonlyMap<string, Stats>
  readonly goneDirectories: readonly string[]
  /** What could not be seen. */
  readonly unread: readonly string[]
  /** How many files were seen one by one because git could not tell. */
  readonly doubtful: number
}

/**
 * Compares the work tree with what is known of it. Where git can compare the known files it does, in a fraction of the
 * time, while we look for new names; otherwise every file is seen. Follows no link: a link is an entry of its own. Names
 * may be any bytes (`nameOfBytes`). Gives the event loop turns.
 *
 * What cannot be seen is a gap and counts as unchanged; only when that is the work tree itself it rejects, with the
 * system's error, or with the reason of the signal.
 *
 * Directories are named by their path: someone who puts a link in the place of one meanwhile makes us see names from
 * elsewhere, which then cannot be read, since whoever reads enters every directory without following links.
 */
export async function scanTree(request: ScanRequest): Promise<Scan> {
  const now = request.fileSystem.now()
  const { changedByGit } = request
  if (changedByGit && request.fileSystem.marksDirectories) {
    const [changed, walked] = await Promise.all([
      changedByGit(request.signal),
      walkTree({ ...request, now, isPartial: true }),
    ])
    if (changed) {
      await compareFiles(new Set(changed), { ...request, now, walked })
      return { ...walked, now, doubtful: changed.length }
    }
  }
  return { ...(await walkTree({ ...request, now, isPartial: false })), now, doubtful: 0 }
}

interface Walked extends Pick<Scan, 'goneDirectories' | 'unread'> {
  readonly found: Map<string, Stats>
  readonly gone: Set<string>
  readonly directories: Map<string, Stats>
  readonly goneDirectories: string[]
  readonly unread: string[]
}

async function compareFiles(
  paths: ReadonlySet<string>,
  { walked, ...request }: Surroundings & { readonly now: number; readonly walked: Walked },
): Promise<void> {
  let turn = 0
  for (const path of paths) {
    if (++turn % entriesPerTurn === 0) await setImmediate()
    const file = fileAt(request.known, path)
    if (!file) continue
    const stats = statOf(path, request)
    if (stats === 'unreadable') continue
    if (!stats) walked.gone.add(path)
    else if (!isUnchanged(file.key, stats)) walked.found.set(path, stats)
    else if (!file.key.isSettled) file.key = statKeyOf(stats, request.now)
  }
}

interface Walk extends Surroundings {
  readonly now: number
  /** Directories that have not changed are not read, and known files not seen: git does that. */
  readonly isPartial: boolean
}

async function walkTree(request: Walk): Promise<Walked> {
  const { limits = defaultLimits } = request
  const walked: Walked = {
    found: new Map(),
    gone: new Set(),
    directories: new Map(),
    goneDirectories: [],
    unread: [],
  }
  const waiting: Frame[] = [{ path: '', depth: 0, known: request.known, parent: undefined, isCovered: false }]
  let [turn, left] = [0, limits.maxEntries]
  for (let frame = waiting.pop(); frame; frame = waiting.pop()) {
    request.signal?.throwIfAborted()
    const entries = readDirectory(frame, request, walked)
    if (++turn % entriesPerTurn === 0) await setImmediate()
    if (entries === undefined) continue
    if (entries === 'unchanged') {
      for (const [name, known] of frame.known?.directories ?? []) waiting.push(below(frame, name, known))
      continue
    }
    const seen = new Set<string>()
    for (const entry of entries) {
      if (++turn % entriesPerTurn === 0) await setImmediate()
      if (left-- === 0) {
        request.onGap({ kind: 'capped', cap: 'entries', path: pathBelow(frame, entry.name) })
        return walked
      }
      if (!entry.isDirectory()) {
        if (isKept(frame, entry, { request, walked })) seen.add(entry.name)
        continue
      }
      const next = enter(frame, entry, { ...request, limits })
      if (next) seen.add(`${entry.name}/`)
      if (next && next !== 'kept') waiting.push(next)
    }
    for (const name of frame.known?.files.keys() ?? []) {
      if (!seen.has(name)) walked.gone.add(pathBelow(frame, name))
    }
    for (const [name, known] of frame.known?.directories ?? []) {
      if (!seen.has(`${name}/`)) lose(below(frame, name, known), walked)
    }
  }
  return walked
}

const entriesPerTurn = 512

interface Frame {
  readonly path: string
  readonly depth: number
  readonly known: KnownDirectory | undefined
  readonly parent: Frame | undefined
  /** Not asked before it matters. */
  isCovered: boolean | undefined
}

interface Entry {
  readonly name: string
  isDirectory(): boolean
  isFile(): boolean
  isSymbolicLink(): boolean
}

function below(frame: Frame, name: string, known: KnownDirectory | undefined): Frame {
  return { path: pathBelow(frame, name), depth: frame.depth + 1, known, parent: frame, isCovered: undefined }
}

function pathBelow({ path }: Frame, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

/** `undefined`: there is nothing to see here. */
function readDirectory(
  frame: Frame,
  request: Walk,
  walked: Walked,
): readonly Entry[] | 'unchanged' | undefined {
  const { path, known } = frame
  const isRoot = path === ''
  try {
    const place = isRoot ? request.workTree : entryOf(request.workTree, path)
    // Links on the way to the work tree are the caller's.
    const stats = isRoot ? statSync(place) : lstatSync(place)
    if (!stats.isDirectory()) return lose(frame, walked)
    if (request.isPartial && isUnchanged(known?.key, stats)) return 'unchanged'
    const entries = readEntries(place)
    walked.directories.set(path, stats)
    return entries
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN'
    if (isRoot) throw error
    if (code === 'ENOENT' || code === 'ENOTDIR') return lose(frame, walked)
    request.onGap({ kind: 'unreadable', path, code })
    walked.unread.push(path)
    return undefined
  }
}

function readEntries(place: string | Buffer): readonly Entry[] {
  const entries = readdirSync(place, { withFileTypes: true })
  if (!entries.some(entry => entry.name.includes(replacementCharacter))) return entries
  return readdirSync(place, { withFileTypes: true, encoding: 'buffer' }).map(entry => ({
    name: nameOfBytes(entry.name),
    isDirectory: () => entry.isDirectory(),
    isFile: () => entry.isFile(),
    isSymbolicLink: () => entry.isSymbolicLink(),
  }))
}

function lose({ path, known }: Frame, { gone, goneDirectories }: Walked): undefined {
  if (!known) return
  for (const [file] of filesBelow(known, `${path}/`)) gone.add(file)
  goneDirectories.push(path)
}

function enter(
  frame: Frame,
  { name }: Entry,
  { selection, limits, onGap }: Walk & { readonly limits: ScanLimits },
): Frame | 'kept' | undefined {
  const next = below(frame, name, frame.known?.directories.get(name))
  if (name === gitName || !selection.mayHold(next.path)) return undefined
  if (next.depth < limits.maxDepth) return next
  onGap({ kind: 'capped', cap: 'depth', path: next.path })
  return 'kept'
}

interface Seeing {
  readonly request: Walk
  readonly walked: Walked
}

/** `false`: the entry is no selected file. */
function isKept(frame: Frame, entry: Entry, { request, walked }: Seeing): boolean {
  if (entry.name === gitName || (!entry.isFile() && !entry.isSymbolicLink())) return false
  const file = frame.known?.files.get(entry.name)
  if (request.isPartial && file) return true
  const path = pathBelow(frame, entry.name)
  if (!isCovered(frame, request.selection) && !request.selection.selects(path)) return false
  const stats = statOf(path, request)
  if (stats === undefined) return false
  if (stats === 'unreadable') walked.unread.push(path)
  else if (!file || !isUnchanged(file.key, stats)) walked.found.set(path, stats)
  else if (!file.key.isSettled) file.key = statKeyOf(stats, request.now)
  return true
}

function isCovered(frame: Frame, selection: Surroundings['selection']): boolean {
  frame.isCovered ??= (frame.parent && isCovered(frame.parent, selection)) || selection.covers(frame.path)
  return frame.isCovered
}

/** `undefined`: no file and no link is there. */
function statOf(
  path: string,
  { workTree, onGap }: Pick<Surroundings, 'workTree' | 'onGap'>,
): Stats | 'unreadable' | undefined {
  try {
    const stats = lstatSync(entryOf(workTree, path))
    return gitModeOf(stats) === undefined ? undefined : stats
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN'
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    onGap({ kind: 'unreadable', path, code })
    return 'unreadable'
  }
}
