import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { wordsOf } from '../files/index.ts'
import { type Clock, errorCode } from '../kit/index.ts'
import { isDirectory } from './classify-directory.ts'
import { isPartial } from './data-hash.ts'
import { cureFor, type ExecutionFile, readExecutionFile } from './execution-file.ts'
import { type ExecutionLayout, executionLayout } from './layout.ts'
import { type LockState, readLock } from './lock-file.ts'
import type { OpenOptions } from './open-options.ts'

export interface FoundExecution {
  readonly layout: ExecutionLayout
  readonly file: ExecutionFile
  /** `held` when a server is at work in it. */
  readonly lock: LockState
}

/** An execution that cannot say what it is. It is there all the same. */
export interface DamagedExecution {
  readonly dir: string
  readonly message: string
  readonly cure: string
}

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
  const { names, ...listing } = await directoriesIn(executionBaseDir, limit)
  const executions: FoundExecution[] = []
  const damaged: DamagedExecution[] = []
  for (let at = 0; at < names.length; at += inParallel) {
    const batch = names.slice(at, at + inParallel)
    for (const look of await Promise.all(batch.map(name => lookAt(join(executionBaseDir, name), clock)))) {
      if (look && 'file' in look) executions.push(look)
      else if (look) damaged.push(look)
    }
  }
  return { executions: executions.sort(newestFirst), damaged, ...listing }
}

export type WantedExecution = Pick<OpenOptions, 'hankPath' | 'data' | 'dataHash' | 'rehearsal'>

/**
 * The newest execution that a start of the same hank with the same data goes on with. Rehearsals and real runs never
 * meet. Where a hash is partial it depends on the speed of the disk, so then the same path has to do.
 */
export function newestMatching(
  executions: readonly FoundExecution[],
  wanted: WantedExecution,
): FoundExecution | undefined {
  return executions.find(
    ({ file }) =>
      file.hankPath === wanted.hankPath &&
      (file.rehearsal ?? false) === wanted.rehearsal &&
      isSameData(file, wanted),
  )
}

function isSameData(file: ExecutionFile, { data, dataHash }: WantedExecution): boolean {
  if (file.dataHash === dataHash) return true
  return (isPartial(file.dataHash) || isPartial(dataHash)) && file.dataPath === (data ?? null)
}

async function lookAt(dir: string, clock: Clock): Promise<FoundExecution | DamagedExecution | undefined> {
  const layout = executionLayout(dir)
  if (!(await isDirectory(layout.internals))) return undefined
  const read = await readExecutionFile(layout.executionFile)
  if (read.kind === 'read') return { layout, file: read.file, lock: await readLock(layout.lockFile, clock) }
  if (read.kind === 'damaged') return { dir, message: read.message, cure: read.cure }
  return { dir, message: `${layout.executionFile} is missing`, cure: cureFor(layout.executionFile) }
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
      if (entry.isDirectory()) names.push(entry.name)
    }
    return { names, truncated: false }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { names, truncated: false }
    return { names, truncated: false, problem: `${dir} cannot be read: ${wordsOf(error)}` }
  }
}
