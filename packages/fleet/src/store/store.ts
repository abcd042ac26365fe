import { createHash } from 'node:crypto'
import type { Database } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'
import { openFileStore } from './file-store.ts'
import type { Shelf, StoredObject } from './shelf.ts'
import { openTableStore } from './table-store.ts'

/** Immutable objects, each named by the SHA-256 of its bytes: anybody may put them, and put them again. */
export interface Store {
  readonly url: string
  /** Durable when it resolves. */
  put(bytes: Buffer): Promise<string>
  /** Checked against its name. */
  get(sha: string): Promise<Buffer>
  /** What was put so long ago, and not again since. */
  olderThan(milliseconds: number): Promise<readonly StoredObject[]>
  /** False: it was put again meanwhile, or is gone. */
  remove(sha: string, milliseconds: number): Promise<boolean>
}

/** `file:<folder>`, or `pg:` for a table of the engine. */
export function openStore(url: string, database: Database): Store {
  const shelf = shelfOf(url, database)
  const told = async <T>(what: string, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw storeFault(url, `cannot be ${what}: ${wordsOf(error)}`)
    })
  return {
    url,
    async put(bytes) {
      const sha = shaOf(bytes)
      await told('written', shelf.write(sha, bytes))
      return sha
    },
    olderThan: milliseconds => told('read', shelf.olderThan(milliseconds)),
    remove: (sha, milliseconds) => told('written', shelf.remove(sha, milliseconds)),
    async get(sha) {
      const bytes = await told('read', shelf.read(sha))
      if (!bytes) throw storeFault(url, `does not have ${sha}`)
      if (shaOf(bytes) !== sha)
        throw new FleetFault('FLEET_PARCEL', {
          message: `${sha} in ${url} is not what was put there.`,
          cure: 'Restore the store from a backup, or submit the execution again.',
        })
      return bytes
    },
  }
}

function shelfOf(url: string, database: Database): Shelf {
  if (url === 'pg:') return openTableStore(database)
  if (url.startsWith('file:/')) return openFileStore(url)
  throw new FleetFault('FLEET_STORE', {
    message: `${url} is no store that is known.`,
    cure: 'Name file:<absolute folder> or pg: with WEAVE_FLEET_STORE.',
  })
}

function shaOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function storeFault(url: string, what: string): FleetFault {
  return new FleetFault('FLEET_STORE', {
    message: `The store ${url} ${what}.`,
    cure: 'See to the store, or to WEAVE_FLEET_STORE.',
  })
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
