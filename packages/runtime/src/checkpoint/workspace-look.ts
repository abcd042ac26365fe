import { setImmediate } from 'node:timers/promises'
import type { FileSelection } from './file-selection.ts'
import type { FileSystem } from './file-system.ts'
import type { IndexFile } from './index-file.ts'
import { fileAt, isUnchanged, type KnownDirectory, stampOf } from './known-tree.ts'
import type { Notes } from './note.ts'
import { lookAt, type Walked, walkWorkspace } from './walk-workspace.ts'

export interface LookRequest {
  readonly workTree: string
  readonly selection: FileSelection
  readonly known: KnownDirectory
  readonly fileSystem: FileSystem
  readonly notes: Notes
  readonly signal?: AbortSignal | undefined
  /** Files of `known` that are not in the index file. `undefined`: it cannot be used. */
  readonly unlisted: ReadonlySet<string> | undefined
  readonly index: IndexFile
}

export interface Look extends Walked {
  /** The time of the file system before the look. */
  readonly now: number
  /** How many files had to be looked at one by one because the index file did not know better. */
  readonly doubtful: number
}

/**
 * What is different on the disk from what is known. With a usable index file git looks at the files, at the same time we
 * look for new names; otherwise we look at everything. Rejects as `walkWorkspace` does.
 */
export async function lookAtWorkspace(request: LookRequest): Promise<Look> {
  const now = request.fileSystem.now()
  if (request.unlisted && request.fileSystem.marksDirectories) {
    const [changed, walked] = await Promise.all([
      request.index.changed(request.signal),
      walkWorkspace({ ...request, now, isPartial: true }),
    ])
    if (changed) {
      const doubtful = new Set([...changed, ...request.unlisted])
      return { ...(await withDoubtful({ ...request, now, walked, doubtful })), now, doubtful: doubtful.size }
    }
  }
  return { ...(await walkWorkspace({ ...request, now, isPartial: false })), now, doubtful: 0 }
}

const looksPerTurn = 512

interface Doubts extends LookRequest {
  readonly now: number
  readonly walked: Walked
  readonly doubtful: ReadonlySet<string>
}

async function withDoubtful({ known, now, walked, doubtful, ...request }: Doubts): Promise<Walked> {
  const found = new Set(walked.found)
  const gone = new Set(walked.gone)
  let turn = 0
  for (const path of doubtful) {
    if (++turn % looksPerTurn === 0) await setImmediate()
    const file = fileAt(known, path)
    if (!file) continue
    const stats = lookAt(path, request)
    if (stats === 'unreadable') continue
    if (!stats) gone.add(path)
    else if (!isUnchanged(file.stamp, stats)) found.add(path)
    else if (!file.stamp.isSettled) file.stamp = stampOf(stats, now)
  }
  return { ...walked, found: [...found], gone: [...gone] }
}
