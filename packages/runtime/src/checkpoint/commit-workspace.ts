import type { Clock } from '../kit/index.ts'
import type { Selection } from '../tree/index.ts'
import type { CreateRequest, CreateResult, SafetyRequest } from './checkpoint-store.ts'
import { type CheckpointMeta, checkpointMessage, encodeCommit } from './commit.ts'
import type { ObjectWriter } from './object-writer.ts'
import { beforeRef, branchOf, branchRef, type Refs, safetyRef, scanRef } from './refs.ts'
import { type StoredWorkspace, type StorePlace, storeWorkspace } from './store-workspace.ts'

export interface CommitPlace extends StorePlace {
  /** Rejects when git cannot be asked. */
  readonly hasObject: (oid: string) => Promise<boolean>
  readonly refs: Refs
  readonly clock: Clock
}

/** One more checkpoint on the branch of the run. Rejects as `storeWorkspace` does. */
export async function createCheckpoint(request: CreateRequest, place: CommitPlace): Promise<CreateResult> {
  const ref = branchRef(branchOf(request.runId))
  const tip = await place.refs.read(ref)
  const parent = tip ?? request.parent
  if (tip === undefined && parent !== undefined && !(await place.hasObject(parent)))
    return unknownParent(parent)
  return commitWorkspace({ ...request, ref, parent, meta: request }, place)
}

/** A checkpoint on a ref of its own. Rejects as `storeWorkspace` does. */
export async function createSafety(request: SafetyRequest, place: CommitPlace): Promise<CreateResult> {
  const { parent } = request
  if (parent !== undefined && !(await place.hasObject(parent))) return unknownParent(parent)
  const ref = await freeRef(safetyRef(place.clock.now()), place.refs)
  return commitWorkspace({ ...request, ref, meta: { ...request, type: 'safety' } }, place)
}

/** A checkpoint on the ref of a codon that begins. Rejects as `storeWorkspace` does. */
export async function createBefore(request: SafetyRequest, place: CommitPlace): Promise<CreateResult> {
  const ref = beforeRef(request.runId, request.codonId)
  return commitWorkspace({ ...request, ref, meta: { ...request, type: 'before' } }, place)
}

/**
 * Stores the files as they are now, so that nothing is lost that a plan does away with, and so that they can be compared.
 * The last of these is kept, until the next. Rejects as `storeWorkspace` does.
 */
export async function storeScan(
  request: { readonly selection: Selection; readonly signal?: AbortSignal | undefined },
  place: CommitPlace,
): Promise<StoredWorkspace> {
  return storeWorkspace(request, place, async (stored, writer) => {
    if (stored.isSame) return stored
    const time = place.clock.now()
    const commit = encodeCommit({ tree: stored.tree, parent: undefined, time, message: 'look\n' })
    const sha = await writer.add('commit', commit)
    await announce({ ref: scanRef, sha, writer }, place.refs)
    return stored
  })
}

function unknownParent(parent: string): CreateResult {
  return { ok: false, message: `there is no checkpoint ${parent} to go on from` }
}

interface Commit extends Pick<CreateRequest, 'selection' | 'parent' | 'signal' | 'observer'> {
  readonly ref: string
  readonly meta: CheckpointMeta
}

async function commitWorkspace(request: Commit, place: CommitPlace): Promise<CreateResult> {
  const { ref, parent, meta } = request
  return storeWorkspace(request, place, async ({ tree, files, notes }, writer) => {
    const commit = encodeCommit({ tree, parent, time: place.clock.now(), message: checkpointMessage(meta) })
    const sha = await writer.add('commit', commit)
    await announce({ ref, sha, writer }, place.refs)
    return { ok: true, sha, tree, ref, files, notes }
  })
}

interface Announcement {
  readonly ref: string
  readonly sha: string
  readonly writer: ObjectWriter
}

/** All that the ref leads to is on the disk before the ref is; only what nobody sees yet is written meanwhile. */
async function announce({ ref, sha, writer }: Announcement, refs: Refs): Promise<void> {
  const [stored, prepared] = await Promise.allSettled([writer.flush(), refs.prepare(ref, sha)])
  if (prepared.status === 'rejected') throw prepared.reason
  if (stored.status === 'fulfilled') return prepared.value.write()
  prepared.value.discard()
  throw stored.reason
}

async function freeRef(wanted: string, refs: Refs): Promise<string> {
  for (let number = 1; ; number++) {
    const ref = number === 1 ? wanted : `${wanted}-${number}`
    if ((await refs.read(ref)) === undefined) return ref
  }
}
