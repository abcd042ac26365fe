import { closeSync, lstatSync, opendirSync, openSync, type Stats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { errorCode } from '../kit/index.ts'
import { directoryAnchor, directoryFlags } from './directory-handles.ts'
import { directoryOnly } from './durable.ts'

export interface WalkOptions {
  /** Names seen, skipped ones included. */
  readonly maxEntries: number
  /** An entry right below the root has depth 1; directories at this depth are named, not entered. */
  readonly maxDepth: number
  readonly signal?: AbortSignal | undefined
  /** `true` leaves out the entry and all below it. Must not throw. */
  readonly skip?: (path: string, stats: Stats) => boolean
}

/** `path` is relative to the root, with `/` on every platform. */
export type WalkItem =
  | { readonly kind: 'entry'; readonly path: string; readonly stats: Stats }
  /** Something is there that cannot be seen; the walk goes on. EILSEQ: its name is not valid text. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly code: string }
  /** Always the last item: a cap left something out, first of all `path`. Without it the walk was complete. */
  | { readonly kind: 'capped'; readonly cap: 'entries' | 'depth'; readonly path: string }

/**
 * Every entry below a directory, each directory before its contents, names in code-unit order.
 *
 * Never follows a link below the root, also when it takes a directory's place meanwhile. What disappears during the walk
 * is left out silently. Gives the event loop a turn every few hundred entries. Rejects only with `signal.reason`. Keeps
 * one descriptor open per level, closed when the loop over it ends in any way.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<WalkItem, void, undefined> {
  const { maxDepth, signal, skip } = options
  const state: WalkState = { levels: [], entriesLeft: options.maxEntries, capped: undefined }
  try {
    signal?.throwIfAborted()
    const failure = await enter(state, root, '')
    if (failure) yield failure
    for (let turn = 1; ; turn++) {
      if (turn % entriesPerTurn === 0) await setImmediate()
      signal?.throwIfAborted()
      const next = nextName(state)
      if (!next) break
      const item = statItem(next.location, next.path)
      if (!item || (item.kind === 'entry' && skip?.(item.path, item.stats))) continue
      yield item
      if (item.kind !== 'entry' || !item.stats.isDirectory()) continue
      if (state.levels.length >= maxDepth) {
        state.capped ??= { kind: 'capped', cap: 'depth', path: item.path }
        continue
      }
      const obstacle = await enter(state, next.location, `${item.path}/`)
      if (obstacle && !isChange(obstacle.code)) yield obstacle
    }
    if (state.capped) yield state.capped
  } finally {
    for (const level of state.levels) closeSync(level.fd)
  }
}

export interface PathWalkOptions extends Pick<WalkOptions, 'maxEntries' | 'maxDepth'> {
  /** `true` leaves out the entry and all below it. Must not throw. */
  readonly skip?: (path: string) => boolean
  /** Files that are not named: to name ten thousand that nobody wants takes as long as to find them. */
  readonly without?: ReadonlySet<string> | undefined
}

/**
 * The paths of everything below a directory that is no directory itself, in the order of `walk` and as carefully. What an
 * entry is, its directory has said: nothing is looked at by itself, which is most of the time of a walk.
 */
export async function* walkPaths(
  root: string,
  { maxEntries, maxDepth, skip, without }: PathWalkOptions,
): AsyncGenerator<string, void, undefined> {
  const state: WalkState = { levels: [], entriesLeft: maxEntries, capped: undefined }
  try {
    await enter(state, root, '')
    for (let turn = 1; ; turn++) {
      if (turn % entriesPerTurn === 0) await setImmediate()
      const next = nextName(state)
      if (!next) return
      if (skip?.(next.path)) continue
      if (!isFolder(next)) {
        if (!without?.has(next.path)) yield next.path
      } else if (state.levels.length < maxDepth) await enter(state, next.location, `${next.path}/`)
    }
  } finally {
    for (const level of state.levels) closeSync(level.fd)
  }
}

/** Some file systems do not say what an entry is; then it is asked itself. */
function isFolder({ kind, location, path }: NextName): boolean {
  if (kind !== 'vague') return kind === 'folder'
  const item = statItem(location, path)
  return item?.kind === 'entry' && item.stats.isDirectory()
}

const entriesPerTurn = 256
const namesPerTurn = 4096

interface Level {
  readonly fd: number
  readonly anchor: string
  /** The directory's relative path with a closing `/`, or '' for the root. */
  readonly prefix: string
  readonly names: readonly string[]
  /** Of those names that are no plain files or links. */
  readonly kinds: ReadonlyMap<string, EntryKind>
  next: number
}

type EntryKind = 'folder' | 'file' | 'vague'

interface WalkState {
  readonly levels: Level[]
  entriesLeft: number
  capped: Extract<WalkItem, { kind: 'capped' }> | undefined
}

interface NextName {
  readonly location: string
  readonly path: string
  readonly kind: EntryKind
}

function nextName({ levels }: WalkState): NextName | undefined {
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const name = level.names[level.next++]
    if (name !== undefined) {
      const kind = level.kinds.get(name) ?? 'file'
      return { location: `${level.anchor}/${name}`, path: level.prefix + name, kind }
    }
    levels.pop()
    closeSync(level.fd)
  }
  return undefined
}

function statItem(location: string, path: string): WalkItem | undefined {
  try {
    return { kind: 'entry', path, stats: lstatSync(location) }
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN'
    if (code !== 'ENOENT') return { kind: 'unreadable', path, code }
    // A name that is not valid text was decoded to something else, so it seems to be missing.
    return location.includes('\uFFFD') ? { kind: 'unreadable', path, code: 'EILSEQ' } : undefined
  }
}

type Obstacle = Extract<WalkItem, { kind: 'unreadable' }>

async function enter(state: WalkState, location: string, prefix: string): Promise<Obstacle | undefined> {
  let fd: number | undefined
  try {
    // The way to the root is the caller's: links in it are followed.
    fd = openSync(location, prefix === '' ? directoryOnly : directoryFlags)
    const anchor = directoryAnchor(fd, location)
    state.levels.push({ fd, anchor, prefix, ...(await readNames(state, anchor, prefix)), next: 0 })
    return undefined
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    return { kind: 'unreadable', path: prefix.slice(0, -1), code: errorCode(error) ?? 'UNKNOWN' }
  }
}

/** Stops at the cap while reading, so that a huge directory costs no more than the cap. */
async function readNames(
  state: WalkState,
  directory: string,
  prefix: string,
): Promise<Pick<Level, 'names' | 'kinds'>> {
  const names: string[] = []
  const kinds = new Map<string, EntryKind>()
  const reader = opendirSync(directory, { bufferSize: 512 })
  try {
    for (let entry = reader.readSync(); entry; entry = reader.readSync()) {
      if (state.entriesLeft === 0) {
        state.capped ??= { kind: 'capped', cap: 'entries', path: prefix + entry.name }
        break
      }
      state.entriesLeft--
      names.push(entry.name)
      if (entry.isDirectory()) kinds.set(entry.name, 'folder')
      else if (!entry.isFile() && !entry.isSymbolicLink()) kinds.set(entry.name, 'vague')
      if (names.length % namesPerTurn === 0) await setImmediate()
    }
  } finally {
    reader.closeSync()
  }
  return { names: names.sort(), kinds }
}

/** It was a directory a moment ago and is now something else, or gone. */
function isChange(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}
