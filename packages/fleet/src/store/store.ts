import { createHash, createHmac } from 'node:crypto'
import type { Database } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'
import { bucketOf } from './bucket-address.ts'
import type { Patience } from './bucket-client.ts'
import { openBucketStore } from './bucket-store.ts'
import { openFileStore } from './file-store.ts'
import { noKey, type StoreKey } from './key.ts'
import { seal, unseal } from './seal.ts'
import { type Shelf, ShelfFault, type StoredObject } from './shelf.ts'
import { openTableStore } from './table-store.ts'

/**
 * Immutable objects, each named by the SHA-256 of its bytes: anybody may put them, and put them again. With a key they are
 * encrypted, and the name is an HMAC of that hash, so that it says nothing about what is known otherwise.
 */
export interface Store {
  readonly url: string
  /** Of the key they are encrypted with, or `none`. */
  readonly keyCheck: string
  /** Variables that are for it alone: agents do not see them. */
  readonly variables: readonly string[]
  /** Durable when it resolves. */
  put(bytes: Buffer): Promise<string>
  /** Checked against its name. */
  get(sha: string): Promise<Buffer>
  /** What was put so long ago, and not again since. */
  olderThan(milliseconds: number): Promise<readonly StoredObject[]>
  /** False: it was put again meanwhile, or is gone. */
  remove(sha: string, milliseconds: number): Promise<boolean>
}

export interface StoreOptions {
  readonly database: Database
  readonly key?: StoreKey | undefined
  /** Where the keys of a bucket are. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** Whether a bucket on another machine may do without a certificate. */
  readonly isInsecure?: boolean | undefined
  readonly patience?: Patience | undefined
}

/** `file:<folder>`, `s3://bucket/prefix`, or `pg:` for a table of the engine. */
export function openStore(url: string, options: StoreOptions): Store {
  const { key } = options
  const nameOf = (bytes: Buffer): string =>
    key ? createHmac('sha256', key.bytes).update(shaOf(bytes)).digest('hex') : shaOf(bytes)
  const opened = (bytes: Buffer): Buffer | undefined => {
    try {
      return key ? unseal(bytes, key.bytes) : bytes
    } catch {
      return undefined
    }
  }
  const shelf = shelfOf(url, options)
  const told = async <T>(what: string, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw storeFault(url, `cannot be ${what}: ${wordsOf(error)}`, error)
    })
  return {
    url,
    keyCheck: key?.check ?? noKey,
    variables: shelf.variables,
    async put(bytes) {
      const sha = nameOf(bytes)
      await told('written', shelf.write(sha, key ? seal(bytes, key.bytes) : bytes))
      return sha
    },
    olderThan: milliseconds => told('read', shelf.olderThan(milliseconds)),
    remove: (sha, milliseconds) => told('written', shelf.remove(sha, milliseconds)),
    async get(sha) {
      const stored = await told('read', shelf.read(sha))
      if (!stored) throw storeFault(url, `does not have ${sha}`)
      const bytes = opened(stored)
      if (!bytes || nameOf(bytes) !== sha)
        throw new FleetFault('FLEET_PARCEL', {
          message: `${sha} in ${url} is not what was put there.`,
          cure: 'Restore the store from a backup, or submit the execution again.',
        })
      return bytes
    },
  }
}

function shelfOf(
  url: string,
  { database, environment = {}, isInsecure = false, patience }: StoreOptions,
): Shelf {
  if (url === 'pg:') return openTableStore(database)
  if (url.startsWith('file:/')) return openFileStore(url)
  if (url.startsWith('s3:')) return openBucketStore(url, bucketOf(url, { environment, isInsecure }), patience)
  throw new FleetFault('FLEET_STORE', {
    message: `${url} is no store that is known.`,
    cure: 'Name file:<absolute folder>, s3://<bucket>/<prefix> or pg: with WEAVE_FLEET_STORE.',
  })
}

function shaOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function storeFault(url: string, what: string, reason?: unknown): FleetFault {
  return new FleetFault('FLEET_STORE', {
    message: `The store ${url} ${what}.`,
    cure: reason instanceof ShelfFault ? reason.cure : 'See to the store, or to WEAVE_FLEET_STORE.',
  })
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
