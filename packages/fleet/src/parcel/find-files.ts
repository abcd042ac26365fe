import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Selection } from '@weave/runtime'
import { type FoundFile, type KnownFiles, neverChanges, type Seen, staysHere } from './known-files.ts'

export interface FindOptions {
  /** Which files of the workspace are in checkpoints; absent: all count as such. */
  readonly selection?: Selection | undefined
  /** Files of the rest that never move, by their path in the workspace. */
  readonly excludes?: ((path: string, isDirectory: boolean) => boolean) | undefined
  /** What was seen before: objects that never change are not looked at again. */
  readonly before?: KnownFiles | undefined
}

export interface Found {
  /** All that moves with an execution, each folder before what is in it. */
  readonly files: readonly FoundFile[]
  /** What is there and cannot be read, or has a name that is no text. */
  readonly closed: readonly { readonly path: string; readonly bytes: number }[]
  /** Something stays behind because it is excluded. */
  readonly hasExcluded: boolean
}

export const workspace = 'agentRoot'

/** What of a folder is in checkpoints. `side`: it is no folder of the workspace, and all of it moves. */
type Zone = 'side' | 'all' | 'some' | { readonly rest: string }

/** The whole execution, in pieces: others have work to do meanwhile. */
export async function findFiles(root: string, options: FindOptions): Promise<Found> {
  const search = new Search(root, options)
  await search.folder('', 'side')
  return search
}

const entriesPerPiece = 500
const nothing: Seen = { size: 0, ino: 0, mtimeMs: 0, ctimeMs: 0 }

class Search implements Found {
  readonly files: FoundFile[] = []
  readonly closed: { path: string; bytes: number }[] = []
  hasExcluded = false
  readonly #root: string
  readonly #options: FindOptions
  #seen = 0

  constructor(root: string, options: FindOptions) {
    this.#root = root
    this.#options = options
  }

  async folder(folder: string, zone: Zone): Promise<void> {
    for (const entry of this.#entries(folder, zone)) {
      if (++this.#seen % entriesPerPiece === 0) await setImmediate()
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if ((zone === 'side' || folder === workspace) && staysHere(path)) continue
      if (!entry.isDirectory()) {
        this.#file(path, folder, zone)
        continue
      }
      const below = this.#zoneOf(path, zone)
      const rest = typeof below === 'object' ? below.rest : undefined
      if (rest !== undefined && this.#isExcluded(path, true)) continue
      this.files.push({ ...nothing, path, type: 'directory', executable: false, rest })
      await this.folder(path, below)
    }
  }

  /** In a fixed order. What is gone meanwhile is empty. */
  #entries(folder: string, zone: Zone): readonly Dirent[] {
    try {
      const entries = readdirSync(join(this.#root, folder), { withFileTypes: true })
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    } catch (error) {
      this.#gap(folder, zone, error)
      return []
    }
  }

  #file(path: string, folder: string, zone: Zone): void {
    const before = zone === 'side' && neverChanges(path) ? this.#options.before?.get(path) : undefined
    if (before) {
      this.files.push({ ...before, path, type: 'file', executable: false })
      return
    }
    const rest = this.#restOf(path, folder, zone)
    if (rest !== undefined && this.#isExcluded(path, false)) return
    const stats = this.#stats(path, zone)
    // Sockets, pipes and devices are made anew by who needs them.
    if (!stats || !(stats.isFile() || stats.isSymbolicLink())) return
    const { size, ino, mtimeMs, ctimeMs, mode } = stats
    const type = stats.isFile() ? 'file' : 'link'
    this.files.push({ path, type, size, ino, mtimeMs, ctimeMs, executable: (mode & 0o100) !== 0, rest })
  }

  #stats(path: string, zone: Zone) {
    try {
      const found = lstatSync(join(this.#root, path), { throwIfNoEntry: false })
      // A name that is no text was decoded to something else, so it seems to be missing.
      if (!found && path.includes('\uFFFD')) this.closed.push({ path, bytes: 0 })
      return found
    } catch (error) {
      this.#gap(path, zone, error)
      return undefined
    }
  }

  /** What is not the agent's must be readable. */
  #gap(path: string, zone: Zone, error: unknown): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return
    if (zone === 'side') throw error
    this.closed.push({ path, bytes: 0 })
  }

  #zoneOf(path: string, zone: Zone): Zone {
    if (path === workspace) return this.#options.selection ? 'some' : 'all'
    if (zone === 'side' || typeof zone === 'object') return zone
    const { selection } = this.#options
    if (!selection) return 'all'
    const inner = innerPath(path)
    // Also a repository in a folder that is selected whole: what git keeps is in no checkpoint.
    if (!selection.mayHold(inner)) return { rest: inner }
    return selection.covers(inner) ? 'all' : 'some'
  }

  #restOf(path: string, folder: string, zone: Zone): string | undefined {
    if (typeof zone === 'object') return zone.rest
    const { selection } = this.#options
    if (zone !== 'some' || !selection || selection.selects(innerPath(path))) return undefined
    return innerPath(folder)
  }

  #isExcluded(path: string, isDirectory: boolean): boolean {
    const isOut = this.#options.excludes?.(innerPath(path), isDirectory) === true
    this.hasExcluded ||= isOut
    return isOut
  }
}

/** As the hank says it; the workspace itself is a dot. */
export function innerPath(path: string): string {
  return path === workspace ? '.' : path.slice(workspace.length + 1)
}
