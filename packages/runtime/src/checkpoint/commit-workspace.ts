import type { Clock, Result } from '../kit/index.ts'
import { type CheckpointMeta, checkpointMessage, encodeCommit } from './commit.ts'
import type { CheckpointNote } from './note.ts'
import type { ObjectWriter } from './object-writer.ts'
import { beforeRef, branchOf, branchRef, type Refs, safetyRef, scanRef } from './refs.ts'
import {
  type StoredWorkspace,
  type StorePlace,
  type StoreRequest,
  storeWorkspace,
} from './store-workspace.ts'

export interface CommitPlace extends StorePlace {
  /** Rejects when git cannot be asked. */
  readonly hasObject: (oid: string) => Promise<boolean>
  readonly refs: Refs
  readonly clock: Clock
}

export interface SafetyRequest extends Omit<CheckpointMeta, 'type'>, StoreRequest {
  /** Of the first checkpoint of a run: the one where it starts. Others follow the last of their branch. */
  readonly parent?: string | undefined
}

export interface CreateRequest extends SafetyRequest {
  readonly type: Exclude<CheckpointMeta['type'], 'safety' | 'before'>
}

export type CreateResult = Result<{
  readonly sha: string
  readonly tree: string
  /** The full name, such as `refs/heads/run-…`. */
  readonly ref: string
  readonly files: number
  readonly notes: readonly CheckpointNote[]
}>

/** One more checkpoint on the branch of the run. Rejects as `storeWorkspace` does. */
export async function createCheckpoint(request: CreateRequest, place: CommitPlace): Promise<CreateResult> {
  const ref = branchRef(branchOf(request.runId))
  const tip = await place.refs.read(ref)
  const parent = tip ?? request.parent
  if (tip === undefined && parent !== undefined && !(await place.hasObject(parent)))
    return unknownParent(parent)
  return commitWorkspace({ ...request, parent }, ref, place)
}

/** A checkpoint on a ref of its own. Rejects as `storeWorkspace` does. */
export async function createSafety(request: SafetyRequest, place: CommitPlace): Promise<CreateResult> {
  const { parent } = request
  if (parent !== undefined && !(await place.hasObject(parent))) return unknownParent(parent)
  const ref = await freeRef(safetyRef(place.clock.now()), place.refs)
  return commitWorkspace({ ...request, type: 'safety' }, ref, place)
}

/** A checkpoint on the ref of a codon that begins. Rejects as `storeWorkspace` does. */
export async function createBefore(request: SafetyRequest, place: CommitPlace): Promise<CreateResult> {
  return commitWorkspace({ ...request, type: 'before' }, beforeRef(request.runId, request.codonId), place)
}

/**
 * Stores the files as they are now, so that nothing is lost that a plan does away with, and so that they can be compared.
 * The last of these is kept, until the next. Rejects as `storeWorkspace` does.
 */
export async function storeScan(request: StoreRequest, place: CommitPlace): Promise<StoredWorkspace> {
  return storeWorkspace(request, place, async (stored, writer) => {
    const commit = { tree: stored.tree, parent: undefined, message: 'look\n' }
    if (!stored.isSame) await announce(scanRef, commit, { ...place, writer })
    return stored
  })
}

function unknownParent(parent: string): CreateResult {
  return { ok: false, message: `there is no checkpoint ${parent} to go on from` }
}

async function commitWorkspace(
  request: SafetyRequest & CheckpointMeta,
  ref: string,
  place: CommitPlace,
): Promise<CreateResult> {
  const { parent } = request
  return storeWorkspace(request, place, async ({ tree, files, notes }, writer) => {
    const commit = { tree, parent, message: checkpointMessage(request) }
    const sha = await announce(ref, commit, { ...place, writer })
    return { ok: true, sha, tree, ref, files, notes }
  })
}

/**
 * Writes the commit and lets the ref name it. All that the ref leads to is on the disk before the ref is; only what nobody
 * sees yet is written meanwhile.
 */
async function announce(
  ref: string,
  commit: Omit<Parameters<typeof encodeCommit>[0], 'time'>,
  { writer, refs, clock }: CommitPlace & { readonly writer: ObjectWriter },
): Promise<string> {
  const sha = await writer.add('commit', encodeCommit({ ...commit, time: clock.now() }))
  const [stored, prepared] = await Promise.allSettled([writer.flush(), refs.prepare(ref, sha)])
  if (prepared.status === 'rejected') throw prepared.reason
  if (stored.status === 'rejected') {
    prepared.value.discard()
    throw stored.reason
  }
  await prepared.value.write()
  return sha
}

async function freeRef(wanted: string, refs: Refs): Promise<string> {
  for (let number = 1; ; number++) {
    const ref = number === 1 ? wanted : `${wanted}-${number}`
    if ((await refs.read(ref)) === undefined) return ref
  }
}
