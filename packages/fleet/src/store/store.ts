import { createHash } from 'node:crypto'
import type { Database } from '../engine/database.ts'
import { FleetFault } from '../fault.ts'
import { openFileStore } from './file-store.ts'
import type { Shelf } from './shelf.ts'
import { openTableStore } from './table-store.ts'

/** Immutable objects, each named by the SHA-256 of its bytes: anybody may put them, and put them again. */
export interface Store {
  readonly url: string
  /** Durable when it resolves. */
  put(bytes: Buffer): Promise<string>
  /** Checked against its name. */
  get(sha: string): Promise<Buffer>
}

/** `file:<folder>`, or `pg:` for a table of the engine. */
export function openStore(url: string, database: Database): Store {
  const shelf = shelfOf(url, database)
  return {
    url,
    async put(bytes) {
      const sha = shaOf(bytes)
      await shelf.write(sha, bytes).catch((error: unknown) => {
        throw storeFault(url, `cannot be written: ${wordsOf(error)}`)
      })
      return sha
    },
    async get(sha) {
      const bytes = await shelf.read(sha).catch((error: unknown) => {
        throw storeFault(url, `cannot be read: ${wordsOf(error)}`)
      })
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
