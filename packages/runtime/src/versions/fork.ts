import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createDiskSync, ensureDirDurably, removeTree, syncDirectory } from '../files/index.ts'
import { errorCode, type Failure, messageOf, type Refused, type Result, wordsOf } from '../kit/index.ts'
import { executionLayout, executionName, type ForkOrigin, partOf, readLock } from '../workspace/index.ts'
import { fill, together } from './fork-fill.ts'
import { forkPlace, takeoverAt } from './fork-place.ts'
import type { ForkWish, Making } from './fork-wish.ts'
import type { ReadPlace } from './read-place.ts'

export interface Forked {
  readonly dir: string
  readonly label: string
  readonly sha: string
  /** What the next start begins with; absent: nothing is left to do. */
  readonly next?: { readonly codonId: string; readonly model: string }
  readonly isRehearsal: boolean
  readonly origin: ForkOrigin
  /** For people. */
  readonly notes: readonly string[]
}

export type ForkResult = Result<{ readonly forked: Forked }, Failure>

/**
 * A new execution that begins as another was at a checkpoint. The other is only read; it may be live. It is made beside its
 * place and renamed when it is whole: a kill leaves nothing that anybody takes for an execution. Never rejects.
 */
export async function fork(place: ReadPlace, wish: ForkWish): Promise<ForkResult> {
  const found = await forkPlace(place, wish.at)
  if (!found.ok) return found
  const { point } = found
  const takeover = takeoverAt(point, wish.takeover?.plan)
  if (!takeover.ok) return takeover
  const lock = await readLock(place.layout.lockFile, place.clock)
  if (wish.withUntracked && lock.kind === 'held')
    return {
      ok: false,
      message: '--with-untracked copies files as they are now, and a run is changing them.',
      cure: `Stop it first: weave stop ${place.layout.dir}; or leave out --with-untracked.`,
    }
  try {
    const dir = await claim(place, wish)
    if (typeof dir !== 'string') return dir
    return await make({ place, wish, point, dir, part: executionLayout(partOf(dir)) }, takeover)
  } catch (error) {
    return {
      ok: false,
      message: `The fork could not be made: ${messageOf(error)}`,
      cure: 'See to the disk and its permissions, or choose another directory with -e.',
    }
  }
}

const mostNames = 1_000

/** The place of the fork, with the directory in which it is made; both ours alone. */
async function claim({ file, clock }: ReadPlace, wish: ForkWish): Promise<string | Refused<Failure>> {
  const { directory, executionBaseDir, takeover } = wish
  if (directory !== undefined) {
    if (existsSync(directory)) return taken(directory)
    await ensureDirDurably(dirname(directory))
    return (await isFree(partOf(directory))) ? directory : taken(partOf(directory))
  }
  await ensureDirDurably(executionBaseDir)
  const { hankPath, hankName } = takeover ?? file
  const names = { hankPath, hankName, dataHash: file.dataHash, now: clock.now() }
  for (let attempt = 1; attempt <= mostNames; attempt++) {
    const dir = join(executionBaseDir, executionName({ ...names, attempt }))
    if (!existsSync(dir) && (await isFree(partOf(dir)))) return dir
  }
  throw new Error(`${executionBaseDir} has too many executions of this second`)
}

function taken(path: string): Refused<Failure> {
  return {
    ok: false,
    message: `${path} is there already.`,
    cure: 'Name a directory that does not exist yet, or leave out -e.',
  }
}

/** Makes it, unless the name is taken. */
async function isFree(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

type Allowed = Extract<ReturnType<typeof takeoverAt>, { readonly ok: true }>

async function make(making: Making, { entry, differing }: Allowed): Promise<ForkResult> {
  const { place, wish, point, dir, part } = making
  // Before anything is written: where files are synced one by one, those are that are newer than this.
  const syncAll = createDiskSync([part.dir], place.environment)
  try {
    const filled = await fill(making)
    if (!filled.ok) return filled
    const { origin, isRehearsal, notes } = filled
    const [, untracked] = await together(syncAll(), filled.untrackedNotes())
    await rename(part.dir, dir)
    await syncDirectory(dirname(dir))
    const stale =
      differing.length === 0 ? [] : [`Other in the new hank, and not run again: ${differing.join(', ')}.`]
    const forked = {
      dir,
      label: point.label,
      sha: point.target.sha,
      ...(entry && { next: entry }),
      isRehearsal,
      origin,
      notes: [...stale, ...untracked, ...notes],
    }
    return { ok: true, forked }
  } catch (error) {
    const isTaken = ['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')
    return isTaken
      ? { ok: false, message: `${dir} was made by another meanwhile.`, cure: 'Run the command again.' }
      : {
          ok: false,
          message: `The fork could not be made: ${wordsOf(error)}`,
          cure: `Nothing of it is left in ${dirname(dir)}; ${wish.directory === undefined ? 'see to the disk' : 'choose another directory'}.`,
        }
  } finally {
    await removeTree(part.dir)
  }
}
