import type { FileDifference } from '../checkpoint/index.ts'
import { type Failure, messageOf, type Refused, type Result } from '../kit/index.ts'
import { type NamedCheckpoint, nameCheckpoint } from './checkpoint-name.ts'
import { type CheckpointRow, listRows } from './checkpoint-rows.ts'
import { openPlace, type PlaceOptions, type StoppedPlace } from './open.ts'
import { type FoundWay, type PreviewResult, previewWay, takeWay, type WayTaken } from './rollback.ts'
import { undoTarget } from './undo.ts'

/** Where to go back to: what a person wrote, or to before the last rollback. */
export type RollbackWish = { readonly to: string } | { readonly undo: true }

export interface DiffWish {
  readonly from: string
  /** The files on the disk when it is absent, or `disk`. */
  readonly to?: string | undefined
  /** With numbers of lines. */
  readonly lines?: boolean
  /** With the whole difference as text. */
  readonly text?: boolean
}

export type NamedDiff = Result<{
  readonly from: string
  readonly to: string
  readonly files: readonly FileDifference[]
  /** `isCut`: there is more than can be shown. */
  readonly text?: { readonly bytes: Buffer; readonly isCut: boolean }
}>

/** An execution in which nothing runs; no server can take it before `close`. None of these rejects. */
export interface StoppedExecution {
  checkpoints(): Promise<readonly CheckpointRow[]>
  diff(wish: DiffWish): Promise<NamedDiff>
  preview(wish: RollbackWish): Promise<PreviewResult>
  rollBack(wish: RollbackWish): Promise<WayTaken>
  /** What happened to files on the way and a person should hear. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}

export type OpenedStopped = { readonly ok: true; readonly execution: StoppedExecution } | Refused<Failure>

/** Opens an execution that no server holds, to list its checkpoints and to go back to one. Never rejects. */
export async function openStoppedExecution(options: PlaceOptions): Promise<OpenedStopped> {
  const opened = await openPlace(options)
  if (!opened.ok) return opened
  const { place, warnings, close } = opened
  return {
    ok: true,
    execution: {
      checkpoints: () => listRows(place.state(), place.store),
      diff: wish => diff(place, wish),
      async preview(wish) {
        const found = await findWay(place, wish)
        return found.ok ? previewWay(place, found.way) : found
      },
      rollBack: wish => valued(() => takeWay(place, () => findWay(place, wish))),
      warnings,
      close,
    },
  }
}

/** A disk that refuses to take the record is a failure like any other. */
async function valued(work: () => Promise<WayTaken>): Promise<WayTaken> {
  try {
    return await work()
  } catch (error) {
    const cure = 'The next start, or the same command, finishes what was begun.'
    return { ok: false, message: messageOf(error), cure }
  }
}

async function nameIn(place: StoppedPlace, text: string): Promise<NamedCheckpoint> {
  return nameCheckpoint(text, {
    plan: place.plan,
    state: place.state(),
    safeties: await place.store.safeties(),
  })
}

async function findWay(place: StoppedPlace, wish: RollbackWish): Promise<FoundWay> {
  if ('undo' in wish) {
    const undo = await undoTarget({ ...place, state: place.state() })
    if (!undo.ok) return undo
    const { target, archives } = undo
    const label = `before the last rollback, ${target.sha.slice(0, 8)}`
    return { ok: true, way: { target, archives, label } }
  }
  const named = await nameIn(place, wish.to)
  if (!named.ok) return named
  const { target, label } = named
  if (target) return { ok: true, way: { target, label, archives: [] } }
  const message = `${wish.to} is a safety checkpoint. To go back to before the last rollback: weave rollback --undo.`
  return { ok: false, message }
}

/** More text than this is nothing for a terminal. */
const longestText = 64 << 20

async function diff(place: StoppedPlace, { from, to = 'disk', ...wanted }: DiffWish): Promise<NamedDiff> {
  if (from === 'disk')
    return { ok: false, message: `disk can only be the second of the two: weave diff ${to} disk.` }
  const first = await nameIn(place, from)
  if (!first.ok) return first
  const second = to === 'disk' ? undefined : await nameIn(place, to)
  if (second?.ok === false) return second
  const compared = await place.store.diff({
    ...wanted,
    from: first.sha,
    to: second?.sha ?? place.selection(),
    maxTextBytes: longestText,
  })
  return compared.ok ? { ...compared, from: first.label, to: second?.label ?? 'the disk' } : compared
}
