import type { Clock } from '../kit/index.ts'
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

export type ReadExecution = FoundExecution | DamagedExecution

/** Undefined for a folder without `.weave/`, which is not ours. Never rejects. */
export async function readDirectory(dir: string, clock: Clock): Promise<ReadExecution | undefined> {
  const layout = executionLayout(dir)
  if (!(await isDirectory(layout.internals))) return undefined
  const read = await readExecutionFile(layout.executionFile)
  if (read.kind === 'read') return { layout, file: read.file, lock: await readLock(layout.lockFile, clock) }
  if (read.kind === 'damaged') return { dir, message: read.message, cure: read.cure }
  return { dir, message: `${layout.executionFile} is missing`, cure: cureFor(layout.executionFile) }
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
