import { lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import {
  ancestorsOf,
  createDirectoryChain,
  type DirectoryChain,
  type FileState,
  type HeldDirectory,
  isSameState,
  openedUp,
  removeIfEmpty,
  splitPath,
} from '../files/index.ts'
import { errorCode, type Result, wordsOf } from '../kit/index.ts'
import { type Git, permissionsLike, permissionsOf } from '../tree/index.ts'
import { type ObjectReceiver, readObjects } from './object-reader.ts'
import {
  createCollectedFile,
  createStagedFile,
  overwriteFile,
  type RestoreIntent,
  type StagedFile,
} from './restore-files.ts'
import type { PlannedWrite, RestorePlan } from './restore-plan.ts'

export interface RestoreOptions {
  readonly signal?: AbortSignal | undefined
  /** Called now and then, and at the end. Must not throw. */
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined
}

export interface RestoreProgress {
  readonly done: number
  readonly total: number
}

/** One that failed can be planned and performed again, to the same checkpoint or to another. */
export type RestoreResult = Result & { readonly movedAside: readonly Moved[] }

/** Paths below the work tree. */
export interface Moved {
  readonly from: string
  readonly to: string
}

export interface PerformContext extends RestoreOptions {
  readonly git: Git
  readonly workTree: string
  readonly umask: number
  readonly intent: RestoreIntent
}

/**
 * Does what the plan says, and nothing to a file that is no longer what the plan saw: then it stops. Nothing is written or
 * removed through a link, wherever the agent may have planted one.
 *
 * A new file is complete before it gets its name; a small one that changes is written over where it stands. Killed at any
 * moment, another plan to the same checkpoint finishes it, and one to the checkpoint of before takes it back: whatever
 * goes is stored. The files are not synced: whoever tells that it is done does that first. Rejects only with the reason
 * of the signal.
 */
export async function performRestore(plan: RestorePlan, context: PerformContext): Promise<RestoreResult> {
  const { git, workTree, signal, intent } = context
  const directories = createDirectoryChain(workTree)
  const movedAside: Moved[] = []
  const advance = createProgress(plan, context.onProgress)
  try {
    await intent.write(['', ...plan.emptied, ...ancestorsOf(plan.writes.map(({ path }) => path))])
    for (const [turn, { path, before }] of plan.removals.entries()) {
      if (turn % removalsPerTurn === 0) await setImmediate()
      signal?.throwIfAborted()
      remove(path, before, directories)
      advance()
    }
    const taken = new Set(plan.conflicts.length > 0 ? placesOf(plan) : [])
    for (const path of plan.conflicts) movedAside.push(moveAside(path, directories, taken))
    for (const path of plan.emptied.toReversed()) {
      const entered = directories.reach(path)
      if (entered.ok) removeIfEmpty(entered.directory.self, entered.directory.entry(entered.name))
    }
    const receiver = createReceiver(plan, { ...context, directories, advance })
    const written = await readObjects(git, { oids: plan.writes.map(({ oid }) => oid), receiver, signal })
    if (!written.ok) return { ok: false, message: wordsOf(written.cause ?? written.message), movedAside }
    intent.clear()
    return { ok: true, movedAside }
  } catch (error) {
    signal?.throwIfAborted()
    return { ok: false, message: wordsOf(error), movedAside }
  } finally {
    directories.close()
  }
}

const removalsPerTurn = 64
const filesPerProgress = 50

function createProgress(plan: RestorePlan, onProgress: RestoreOptions['onProgress']): () => void {
  const total = plan.writes.length + plan.removals.length
  let done = 0
  return () => {
    done++
    if (done === total || done % filesPerProgress === 0) onProgress?.({ done, total })
  }
}

function remove(path: string, before: FileState, directories: DirectoryChain): void {
  const { directory, name } = mustReach(path, directories)
  const stats = lstatSync(directory.entry(name), { throwIfNoEntry: false })
  if (!stats || !isSameState(before, stats)) throw changedMeanwhile(path)
  naming(path, 'removed', () => openedUp(directory.self, () => unlinkSync(directory.entry(name))))
}

/** The system names descriptors in its errors; people know paths of the workspace. */
function naming<Result>(
  path: string,
  what: 'removed' | 'moved aside' | 'written',
  work: () => Result,
): Result {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new Error(`${path} cannot be ${what}: ${wordsOf(error)}.`, { cause: error })
  }
}

/** Where files were before, or will be: what is moved there would be in the way of this restore, or of its undoing. */
function placesOf({ removals, writes }: RestorePlan): readonly string[] {
  const files = [...removals, ...writes].map(({ path }) => path)
  return [...files, ...ancestorsOf(files)]
}

function moveAside(path: string, directories: DirectoryChain, taken: ReadonlySet<string>): Moved {
  const { directory, name } = mustReach(path, directories)
  const { parent } = splitPath(path)
  const pathOf = (other: string) => (parent === '' ? other : `${parent}/${other}`)
  const isFree = (other: string) =>
    !taken.has(pathOf(other)) && !lstatSync(directory.entry(other), { throwIfNoEntry: false })
  const free = asideName(name, isFree)
  naming(path, 'moved aside', () =>
    openedUp(directory.self, () => renameSync(directory.entry(name), directory.entry(free))),
  )
  return { from: path, to: pathOf(free) }
}

function asideName(name: string, isFree: (name: string) => boolean): string {
  // A name may have 255 bytes, and a character up to four.
  const start = [...name].slice(0, 50).join('')
  for (let number = 1; ; number++) {
    const candidate = `${start}.aside${number === 1 ? '' : `-${number}`}`
    if (isFree(candidate)) return candidate
  }
}

interface Placing extends PerformContext {
  readonly directories: DirectoryChain
  readonly advance: () => void
}

function createReceiver(plan: RestorePlan, context: Placing): ObjectReceiver {
  let current: { readonly write: PlannedWrite; readonly file: StagedFile } | undefined
  return {
    begin(index, size) {
      context.signal?.throwIfAborted()
      const write = plan.writes[index]
      current = write && { write, file: naming(write.path, 'written', () => stage(write, size, context)) }
    },
    data: piece => current?.file.write(piece),
    end() {
      const done = current
      if (done) naming(done.write.path, 'written', () => done.file.place(done.write.before !== undefined))
      current = undefined
      context.advance()
    },
    abandon() {
      current?.file.discard()
    },
  }
}

/** The directory stays entered until the file has its place. */
function stage(write: PlannedWrite, size: number, { directories, umask }: Placing): StagedFile {
  const { path, mode, before } = write
  const { directory, name } = mustReach(path, directories, 'make')
  if (!before || size > smallFile) return stageAnew(write, directory, umask)
  return createCollectedFile(bytes => {
    if (overwriteFile({ at: directory.entry(name), before, mode, bytes })) return
    placeWhole(stageAnew(write, directory, umask), bytes)
  })
}

const smallFile = 64 << 10

function stageAnew(
  { path, mode, before }: PlannedWrite,
  directory: HeldDirectory,
  umask: number,
): StagedFile {
  const { name } = splitPath(path)
  const stats = lstatSync(directory.entry(name), { throwIfNoEntry: false })
  if (!isExpected(before, stats)) throw changedMeanwhile(path)
  const permissions = stats?.isFile() ? permissionsLike(mode, stats.mode) : permissionsOf(mode, umask)
  return createStagedFile({ directory, name, mode, permissions, umask })
}

function placeWhole(file: StagedFile, bytes: Buffer): void {
  try {
    file.write(bytes)
    file.place(true)
  } catch (error) {
    file.discard()
    throw error
  }
}

function isExpected(before: FileState | undefined, stats: Stats | undefined): boolean {
  return before && stats ? isSameState(before, stats) : before === stats
}

function mustReach(path: string, directories: DirectoryChain, missing?: 'make') {
  const entered = directories.reach(path, missing)
  if (!entered.ok) throw changedMeanwhile(path)
  return entered
}

function changedMeanwhile(path: string): Error {
  return new Error(`${path} was changed while files were being restored`)
}
