import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { entryOf, nameOfBytes, replacementCharacter } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { gitModeOf } from './git-objects.ts'
import { type KnownDirectory, pathsBelow } from './known-tree.ts'
import { gitName, type Selection } from './selection.ts'
import { isUnchanged, laterKey, type StatKey } from './stat-key.ts'

/** Something that a scan could not see. `capped`: a directory that lies too deep. */
export type Gap =
  | { readonly kind: 'unreadable'; readonly path: string; readonly code: string }
  | { readonly kind: 'capped'; readonly path: string }

export interface WalkRequest {
  readonly workTree: string
  readonly selection: Pick<Selection, 'selects' | 'covers' | 'mayHold'>
  /** What the tree is compared with. Stays as it is, but for keys that can be trusted more by now. */
  readonly known: Known
  /** The time of the file system before the scan. */
  readonly now: number
  readonly signal?: AbortSignal | undefined
  readonly onGap: (gap: Gap) => void
}

interface SeenFile {
  key: StatKey
}

type Known = KnownDirectory<SeenFile>

interface Frame {
  readonly path: string
  readonly depth: number
  readonly known: Known | undefined
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

/**
 * An entry right below the root has depth 1; directories at this depth are not entered. For checkpoints and events alike:
 * what clients are told is what a checkpoint holds.
 */
const maxDepth = 200
const entriesPerTurn = 512

/** One walk through the work tree, and how that differs from what is known. */
export class TreeWalk {
  readonly changes = {
    found: new Map<string, Stats>(),
    gone: new Set<string>(),
    directories: new Map<string, Stats>(),
    goneDirectories: [] as string[],
    unread: [] as string[],
  }
  readonly #request: WalkRequest
  readonly #isPartial: boolean

  /** `isPartial`: directories that have not changed are not read, and known files not seen: git does that. */
  constructor(request: WalkRequest, isPartial: boolean) {
    this.#request = request
    this.#isPartial = isPartial
  }

  /** Rejects with the system's error when the root cannot be read, or with the reason of the signal. */
  async run(): Promise<void> {
    const { known, signal } = this.#request
    const waiting: Frame[] = [{ path: '', depth: 0, known, parent: undefined, isCovered: false }]
    let turn = 0
    for (let frame = waiting.pop(); frame; frame = waiting.pop()) {
      signal?.throwIfAborted()
      if (++turn % entriesPerTurn === 0) await setImmediate()
      const entries = this.#readDirectory(frame)
      if (entries === 'unchanged') {
        for (const [name, known] of frame.known?.directories ?? []) waiting.push(below(frame, name, known))
      } else if (entries) {
        const seen = new Set<string>()
        for (const entry of entries) {
          if (++turn % entriesPerTurn === 0) await setImmediate()
          const next = this.#look(frame, entry, seen)
          if (next) waiting.push(next)
        }
        this.#miss(frame, seen)
      }
    }
  }

  /** Takes in how a file is now. `false`: no file and no link is there. */
  see(path: string, file: SeenFile | undefined): boolean {
    const { workTree, now, onGap } = this.#request
    const { found, unread } = this.changes
    try {
      const stats = lstatSync(entryOf(workTree, path))
      if (gitModeOf(stats) === undefined) return false
      if (!file || !isUnchanged(file.key, stats)) found.set(path, stats)
      else if (!file.key.isSettled) file.key = laterKey(file.key, now)
      return true
    } catch (error) {
      const code = errorCode(error) ?? 'UNKNOWN'
      if (isAbsence(code)) return false
      onGap({ kind: 'unreadable', path, code })
      unread.push(path)
      return true
    }
  }

  /** `undefined`: there is nothing to see here. */
  #readDirectory(frame: Frame): readonly Entry[] | 'unchanged' | undefined {
    const { workTree, onGap } = this.#request
    const { path, known } = frame
    const isRoot = path === ''
    try {
      const place = isRoot ? workTree : entryOf(workTree, path)
      // Links on the way to the work tree are the caller's.
      const stats = isRoot ? statSync(place) : lstatSync(place)
      if (!stats.isDirectory()) return this.#lose(frame)
      if (this.#isPartial && isUnchanged(known?.key, stats)) return 'unchanged'
      const entries = readEntries(place)
      this.changes.directories.set(path, stats)
      return entries
    } catch (error) {
      const code = errorCode(error) ?? 'UNKNOWN'
      if (isRoot) throw error
      if (isAbsence(code)) return this.#lose(frame)
      onGap({ kind: 'unreadable', path, code })
      this.changes.unread.push(path)
      return undefined
    }
  }

  /** Adds the name, a directory's with `/`, to those that are still there. Returns a directory to be entered. */
  #look(frame: Frame, entry: Entry, seen: Set<string>): Frame | undefined {
    const { selection, onGap } = this.#request
    const { name } = entry
    if (name === gitName) return undefined
    if (!entry.isDirectory()) {
      if (this.#isKept(frame, entry)) seen.add(name)
      return undefined
    }
    const next = below(frame, name, frame.known?.directories.get(name))
    if (!selection.mayHold(next.path)) return undefined
    seen.add(`${name}/`)
    if (next.depth < maxDepth) return next
    onGap({ kind: 'capped', path: next.path })
    return undefined
  }

  /** `false`: the entry is no selected file. */
  #isKept(frame: Frame, entry: Entry): boolean {
    if (!entry.isFile() && !entry.isSymbolicLink()) return false
    const file = frame.known?.files.get(entry.name)
    if (this.#isPartial && file) return true
    const path = pathBelow(frame, entry.name)
    const { selection } = this.#request
    return (isCovered(frame, selection) || selection.selects(path)) && this.see(path, file)
  }

  #miss(frame: Frame, seen: ReadonlySet<string>): void {
    for (const name of frame.known?.files.keys() ?? []) {
      if (!seen.has(name)) this.changes.gone.add(pathBelow(frame, name))
    }
    for (const [name, known] of frame.known?.directories ?? []) {
      if (!seen.has(`${name}/`)) this.#lose(below(frame, name, known))
    }
  }

  #lose({ path, known }: Frame): undefined {
    if (!known) return
    for (const file of pathsBelow(known, path === '' ? '' : `${path}/`)) this.changes.gone.add(file)
    this.changes.goneDirectories.push(path)
  }
}

function below(frame: Frame, name: string, known: Known | undefined): Frame {
  return { path: pathBelow(frame, name), depth: frame.depth + 1, known, parent: frame, isCovered: undefined }
}

function pathBelow({ path }: Frame, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

function isCovered(frame: Frame, selection: WalkRequest['selection']): boolean {
  frame.isCovered ??= (frame.parent && isCovered(frame.parent, selection)) || selection.covers(frame.path)
  return frame.isCovered
}

function isAbsence(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
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
