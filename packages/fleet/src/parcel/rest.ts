import type { Found } from './find-files.ts'
import { innerPath } from './find-files.ts'
import type { FoundFile } from './known-files.ts'

/** How much may move of what is in no checkpoint. */
export interface RestLimits {
  readonly bytes: number
  readonly files: number
}

/** A folder of the workspace, or a file, that stays behind. */
export interface LeftBehind {
  readonly path: string
  readonly bytes: number
}

/**
 * What moves of an execution: everything in checkpoints, everything of ours, and of the rest whole folders, as many as fit:
 * half a folder is of less use than none. The largest stay behind, so that as much as possible moves.
 */
export function fitRest(
  { files, closed }: Pick<Found, 'files' | 'closed'>,
  limits: RestLimits,
): { readonly files: readonly FoundFile[]; readonly left: readonly LeftBehind[] } {
  const folders = restFolders(files)
  const left = new Set<Folder>()
  const over = (by: 'bytes' | 'files'): void => {
    const staying = [...folders.values()].filter(folder => !left.has(folder))
    let sum = staying.reduce((total, folder) => total + folder[by], 0)
    for (const folder of staying.toSorted((a, b) => b[by] - a[by])) {
      if (sum <= limits[by]) return
      left.add(folder)
      sum -= folder[by]
    }
  }
  over('bytes')
  over('files')
  const named = [...left].map(({ path, bytes }) => ({ path, bytes }))
  const unread = closed.map(({ path, bytes }) => ({ path: innerPath(path), bytes }))
  return {
    files: left.size === 0 ? files : files.filter(file => !isLeft(file, folders, left)),
    left: [...named, ...unread].toSorted((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1)),
  }
}

interface Folder {
  readonly path: string
  bytes: number
  files: number
}

function restFolders(files: readonly FoundFile[]): ReadonlyMap<string, Folder> {
  const folders = new Map<string, Folder>()
  for (const { rest, size, type } of files) {
    if (rest === undefined || type === 'directory') continue
    const folder = folders.get(rest) ?? { path: rest, bytes: 0, files: 0 }
    folder.bytes += size
    folder.files++
    folders.set(rest, folder)
  }
  return folders
}

function isLeft(
  { rest }: FoundFile,
  folders: ReadonlyMap<string, Folder>,
  left: ReadonlySet<Folder>,
): boolean {
  const folder = rest === undefined ? undefined : folders.get(rest)
  return folder !== undefined && left.has(folder)
}
