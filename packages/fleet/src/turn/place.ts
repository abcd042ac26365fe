import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashTree, removeTree } from '@weave/runtime'
import { FleetFault } from '../fault.ts'
import { applyParcels, type KnownFiles, type LeftBehind } from '../parcel/index.ts'
import type { Store } from '../store/index.ts'
import { type NamedTree, type StoredTree, unpackTree } from './tree.ts'

/** The newest published state of an execution. */
export interface Head {
  readonly seq: number
  readonly epoch: number
  /** Parcels, the whole one first. */
  readonly parts: readonly string[]
  /** Of the whole one, and of all on top of it. */
  readonly bytes?: { readonly whole: number; readonly more: number } | undefined
  /** Something of the workspace is not in it. */
  readonly partial?: boolean | undefined
  /** The largest folders of the workspace that are not in it, and should be. */
  readonly left?: readonly LeftBehind[] | undefined
}

/** Beside the execution's own record: what of it was published. */
interface Sidecar {
  readonly executionId: string
  readonly epoch: number
  readonly publishedSeq: number
}

/** Where executions, hanks and data lie on this machine. The same path on all of them: conversations name it. */
export function createPlaces(root: string, store: Store) {
  for (const folder of ['x', 'hanks', 'data', 'lost'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
  const under = new Map<string, Promise<string>>()

  const tree = (kind: 'hanks' | 'data', stored: StoredTree): Promise<string> => {
    const { hash, file } = stored
    const folder = join(root, kind, hash.replace('tree:', ''))
    const made = under.get(folder) ?? bringTree(folder, stored)
    under.set(folder, made)
    made.catch(() => under.delete(folder))
    return made.then(path => (file === undefined ? path : join(path, file)))
  }

  const bringTree = async (folder: string, stored: StoredTree): Promise<string> => {
    if (existsSync(folder)) return folder
    const draft = mkdtempSync(join(root, 'lost', 'tree-'))
    await unpackTree(draft, stored, store)
    settle(draft, folder)
    return folder
  }

  return {
    hank: (stored: StoredTree) => tree('hanks', stored),
    data: (given: StoredTree | NamedTree) => ('path' in given ? sameTree(given) : tree('data', given)),
    execution: (id: string): string => join(root, 'x', id),
    /**
     * The execution as it was published last, or further: a local copy that goes on from the head is kept, so that a worker
     * which starts again loses nothing. Answers with what is known of its files.
     */
    async bring(
      id: string,
      head: Head | undefined,
    ): Promise<{ readonly files?: KnownFiles; readonly salvaged: boolean }> {
      const dir = join(root, 'x', id)
      const local = readSidecar(dir)
      if (local?.publishedSeq === (head?.seq ?? 0) && local.epoch === (head?.epoch ?? local.epoch))
        return { salvaged: existsSync(join(dir, '.weave', 'execution.json')) }
      if (existsSync(dir)) renameSync(dir, join(mkdtempSync(join(root, 'lost', `${id}-`)), 'execution'))
      if (!head) return { salvaged: false }
      const draft = mkdtempSync(join(root, 'lost', 'head-'))
      const parcels = eachOf(head, store)
      const { files } = await applyParcels(draft, { executionId: id, parcels })
      settle(draft, dir)
      return { files, salvaged: false }
    },
    note(id: string, head: { readonly epoch: number; readonly seq: number }): void {
      const internals = join(root, 'x', id, '.weave')
      if (!existsSync(internals)) return
      const sidecar: Sidecar = { executionId: id, epoch: head.epoch, publishedSeq: head.seq }
      writeFileSync(join(internals, 'fleet.json'), JSON.stringify(sidecar), { mode: 0o600 })
    },
    /** Its head has it all. What cannot be removed is in nobody's way. */
    async drop(id: string): Promise<void> {
      for (const name of [id, `${id}.log`]) await removeTree(join(root, 'x', name)).catch(() => undefined)
    },
  }
}

export type Places = ReturnType<typeof createPlaces>

/** One after the other: together they may be more than fits into memory. */
export function* eachOf({ parts }: Head, store: Store): Generator<Promise<Buffer>> {
  for (const sha of parts) yield store.get(sha)
}

/** What is at a path of this machine, once it is what was submitted. */
async function sameTree({ hash, path }: NamedTree): Promise<string> {
  const found = await hashTree(path, {})
  if (found.ok && found.hash === hash) return path
  throw new FleetFault('FLEET_DATA', {
    message: found.ok ? `${path} is not what was submitted` : found.message,
    cure: 'Bring the data to the same path on every worker.',
  })
}

/** Another process may have been first; what is there is the same. */
function settle(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true, force: true })
  }
}

function readSidecar(dir: string): Sidecar | undefined {
  try {
    return JSON.parse(readFileSync(join(dir, '.weave', 'fleet.json'), 'utf8')) as Sidecar
  } catch {
    return undefined
  }
}
