import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { entryOf, nameOfBytes, replacementCharacter } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { type FileSelection, gitName } from './file-selection.ts'
import { gitModeOf } from './git-mode.ts'
import { filesBelow, isUnchanged, type KnownDirectory, type Stamp, stampOf } from './known-tree.ts'
import { type Notes, unreadable } from './note.ts'

export interface WalkRequest {
  readonly workTree: string
  readonly selection: FileSelection
  readonly known: KnownDirectory
  /** The time of the file system before the walk. */
  readonly now: number
  /** Directories that have not changed are not read, and known files not looked at: someone else does that. */
  readonly isPartial: boolean
  readonly notes: Notes
  readonly signal?: AbortSignal | undefined
}

export interface Walked {
  /** Selected files and links that are new, or may hold something else than is known. */
  readonly found: string[]
  /** Known files that are not there, or not selected, any more. */
  readonly gone: string[]
  /** The directories that were read. */
  readonly directories: Map<string, Stamp>
  readonly goneDirectories: string[]
  /** What could not be looked at. */
  readonly unread: string[]
}

/**
 * Goes through the work tree and compares it with what is known, which it leaves as it is, but for stamps that can be
 * trusted more by now. Follows no link and gives the event loop turns. What cannot be looked at is noted and counts as
 * unchanged; only when that is the work tree itself it rejects, with the system's error, or with the reason of the signal.
 *
 * Directories are named by their path: someone who puts a link in the place of one while we walk makes us see names
 * from elsewhere, which then cannot be read (`createDirectoryChain`).
 */
export async function walkWorkspace(request: WalkRequest): Promise<Walked> {
  const walked: Walked = { found: [], gone: [], directories: new Map(), goneDirectories: [], unread: [] }
  const waiting: Frame[] = [{ path: '', depth: 0, known: request.known, parent: undefined, isCovered: false }]
  let turn = 0
  for (let frame = waiting.pop(); frame; frame = waiting.pop()) {
    request.signal?.throwIfAborted()
    const entries = readDirectory(frame, request, walked)
    if (++turn % looksPerTurn === 0) await setImmediate()
    if (entries === undefined) continue
    if (entries === 'unchanged') {
      for (const [name, known] of frame.known?.directories ?? []) waiting.push(below(frame, name, known))
      continue
    }
    const files = new Set<string>()
    const directories = new Set<string>()
    for (const entry of entries) {
      if (++turn % looksPerTurn === 0) await setImmediate()
      if (!entry.isDirectory()) {
        if (isKept(frame, entry, { request, walked })) files.add(entry.name)
        continue
      }
      const next = enter(frame, entry, request)
      if (next) directories.add(entry.name)
      if (next && next !== 'kept') waiting.push(next)
    }
    for (const name of frame.known?.files.keys() ?? []) {
      if (!files.has(name)) walked.gone.push(pathBelow(frame, name))
    }
    for (const [name, known] of frame.known?.directories ?? []) {
      if (!directories.has(name)) lose(below(frame, name, known), walked)
    }
  }
  return walked
}

const looksPerTurn = 512
const deepest = 200

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
  request: WalkRequest,
  walked: Walked,
): readonly Entry[] | 'unchanged' | undefined {
  const { path, known } = frame
  const isRoot = path === ''
  try {
    const place = isRoot ? request.workTree : entryOf(request.workTree, path)
    // Links on the way to the work tree are the caller's.
    const stats = isRoot ? statSync(place) : lstatSync(place)
    if (!stats.isDirectory()) return lose(frame, walked)
    if (request.isPartial && isUnchanged(known?.stamp, stats)) return 'unchanged'
    const entries = readEntries(place)
    walked.directories.set(path, stampOf(stats, request.now))
    return entries
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN'
    if (isRoot) throw error
    if (code === 'ENOENT' || code === 'ENOTDIR') return lose(frame, walked)
    request.notes.add(unreadable(path, code))
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
  for (const [file] of filesBelow(known, `${path}/`)) gone.push(file)
  goneDirectories.push(path)
}

function enter(frame: Frame, { name }: Entry, { selection, notes }: WalkRequest): Frame | 'kept' | undefined {
  const next = below(frame, name, frame.known?.directories.get(name))
  if (name === gitName || !selection.mayHold(next.path)) return undefined
  if (next.depth < deepest) return next
  notes.add(unreadable(next.path, 'nested too deeply'))
  return 'kept'
}

interface Looking {
  readonly request: WalkRequest
  readonly walked: Walked
}

/** Looks at an entry. `false`: it is no selected file. */
function isKept(frame: Frame, entry: Entry, { request, walked }: Looking): boolean {
  if (entry.name === gitName || (!entry.isFile() && !entry.isSymbolicLink())) return false
  const file = frame.known?.files.get(entry.name)
  if (request.isPartial && file) return true
  const path = pathBelow(frame, entry.name)
  if (!isCovered(frame, request.selection) && !request.selection.selects(path)) return false
  const stats = lookAt(path, request)
  if (stats === undefined) return false
  if (stats === 'unreadable') walked.unread.push(path)
  else if (!file || !isUnchanged(file.stamp, stats)) walked.found.push(path)
  else if (!file.stamp.isSettled) file.stamp = stampOf(stats, request.now)
  return true
}

function isCovered(frame: Frame, selection: FileSelection): boolean {
  frame.isCovered ??= (frame.parent && isCovered(frame.parent, selection)) || selection.covers(frame.path)
  return frame.isCovered
}

/** `undefined`: no file and no link is there. */
export function lookAt(
  path: string,
  { workTree, notes }: Pick<WalkRequest, 'workTree' | 'notes'>,
): Stats | 'unreadable' | undefined {
  try {
    const stats = lstatSync(entryOf(workTree, path))
    return gitModeOf(stats) === undefined ? undefined : stats
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN'
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    notes.add(unreadable(path, code))
    return 'unreadable'
  }
}
