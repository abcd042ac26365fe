import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { wordsOf } from '../files/index.ts'
import { type Clock, errorCode } from '../kit/index.ts'
import type { DamagedExecution, FoundExecution, ReadExecution } from './found-execution.ts'
import { isPart } from './parts.ts'

export interface ExecutionList {
  /** Newest first, by the time of their creation. */
  readonly executions: readonly FoundExecution[]
  readonly damaged: readonly DamagedExecution[]
  /** There are more folders than were scanned. */
  readonly truncated: boolean
  /** Why nothing could be listed; a base directory that does not exist is simply empty. */
  readonly problem?: string
}

export interface ListOptions {
  readonly executionBaseDir: string
  readonly clock: Clock
  /** Names scanned. */
  readonly limit?: number
}

const inParallel = 16

/** The executions below a base directory. Folders without `.weave/` are not ours and left out. Never rejects. */
export async function listExecutions(options: ListOptions): Promise<ExecutionList> {
  const { executionBaseDir, clock, limit = 10_000 } = options
  const { names, ...rest } = await directoriesIn(executionBaseDir, limit)
  if (names.length === 0) return { executions: [], damaged: [], ...rest }
  // What reads an execution is much, and not loaded where there is none.
  const { readDirectory } = await import('./found-execution.ts')
  const found: ReadExecution[] = []
  for (let at = 0; at < names.length; at += inParallel) {
    const batch = names.slice(at, at + inParallel)
    const read = await Promise.all(batch.map(name => readDirectory(join(executionBaseDir, name), clock)))
    found.push(...read.filter(each => each !== undefined))
  }
  const executions = found.flatMap(each => ('file' in each ? [each] : []))
  const damaged = found.flatMap(each => ('file' in each ? [] : [each]))
  return { executions: executions.sort(newestFirst), damaged, ...rest }
}

function newestFirst(left: FoundExecution, right: FoundExecution): number {
  const byTime = Date.parse(right.file.createdAt) - Date.parse(left.file.createdAt)
  if (byTime !== 0) return byTime
  return left.layout.dir < right.layout.dir ? 1 : -1
}

async function directoriesIn(
  dir: string,
  limit: number,
): Promise<Pick<ExecutionList, 'truncated' | 'problem'> & { readonly names: readonly string[] }> {
  const names: string[] = []
  let seen = 0
  try {
    for await (const entry of await opendir(dir)) {
      if (++seen > limit) return { names, truncated: true }
      if (entry.isDirectory() && !isPart(entry.name)) names.push(entry.name)
    }
    return { names, truncated: false }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { names, truncated: false }
    return { names, truncated: false, problem: `${dir} cannot be read: ${wordsOf(error)}` }
  }
}
