import { posix, relative, sep } from 'node:path'
import { FleetFault } from '../fault.ts'
import type { BatchOptions } from '../turn/index.ts'
import { refuseSecrets, type SecretSearch } from './findings.ts'
import { nameTree, type PackedTree, packTree, type TreeWish } from './stored-tree.ts'

/** What one execution works on, and what it says otherwise than its batch. */
export interface DataSet {
  /** A file or a folder. */
  readonly path: string
  readonly name?: string | undefined
  readonly model?: string | undefined
  /** In dollars. */
  readonly maxCost?: string | undefined
  readonly priority?: number | undefined
}

export interface Submission {
  readonly name: string
  /** The folder of the hank. */
  readonly hankFolder: string
  /** One per execution; none: one execution without data. */
  readonly data: readonly DataSet[]
  /** Data is not stored: workers have it at the same paths. */
  readonly isByPath?: boolean | undefined
  readonly priority: number
  readonly weight: number
  readonly maxRunning?: number | undefined
  readonly pool: string
  /** Whose keys a worker needs. */
  readonly providers?: readonly string[] | undefined
  /** Ceiling of the whole batch, in millionths of a dollar. */
  readonly budget?: number | undefined
  /** Nothing of it starts before. */
  readonly notBefore?: Date | undefined
  readonly breaker?: { readonly window: number; readonly share: number } | undefined
  /** Seconds; the first to say it decides for the whole fleet. */
  readonly lease: number
  /** The same key gives the same batch. */
  readonly key?: string | undefined
  readonly submittedBy?: string | undefined
  readonly options: BatchOptions
  /** Secrets to look for in the hank and in what rows say; absent: nobody looks. */
  readonly search?: SecretSearch | undefined
}

const leftBehind = new Set(['.git', 'node_modules', 'weave-results'])
/** Files with keys in them, by the name that everybody gives them: no key is to be in a store. */
const isEnvFile = (path: string): boolean => /^\.env(\..+)?$/.test(posix.basename(path))

/** The folder of the hank without what is not its own. */
export function hankTree({ hankFolder, data, search }: Submission): TreeWish {
  const inside = new Set(data.map(({ path }) => relative(hankFolder, path).split(sep).join('/')))
  return {
    path: hankFolder,
    skip: path => leftBehind.has(path) || inside.has(path) || isEnvFile(path),
    inspect: search && ((path, bytes) => refuseSecrets(path, bytes, search)),
  }
}

/** What is wrong with data sets whatever is in them: the same twice is a slip, unless something else is asked of it. */
export function refuseRows({ data, search }: Submission): void {
  const seen = new Set<string>()
  for (const [at, set] of data.entries()) {
    const words = [set.name, set.model, set.path].filter(Boolean).join(' ')
    if (search) refuseSecrets(`data set ${at + 1}`, Buffer.from(words), search)
    const key = JSON.stringify([set.path, set.model, set.maxCost, set.name])
    if (seen.has(key))
      throw new FleetFault('FLEET_DATA', {
        message: `${set.path} is named twice.`,
        cure: 'Name each data set once.',
      })
    seen.add(key)
  }
}

export interface Weighed {
  readonly executions: number
  readonly hank: { readonly hash: string; readonly bytes: number }
  readonly data: readonly { readonly name: string; readonly hash: string; readonly bytes: number }[]
  /** What would be uploaded at most. */
  readonly bytes: number
}

/** What would be submitted. Changes nothing, asks nobody. */
export async function weigh(given: Submission): Promise<Weighed> {
  refuseRows(given)
  const hank = facts(await packTree(hankTree(given)))
  const packed = new Map<string, ReturnType<typeof facts>>()
  for (const { path } of given.data)
    if (!packed.has(path))
      packed.set(
        path,
        given.isByPath ? { ...(await nameTree(path)), bytes: 0 } : facts(await packTree({ path })),
      )
  const data = given.data.flatMap(set => {
    const found = packed.get(set.path)
    return found ? [{ name: nameOf(set), hash: found.hash, bytes: found.bytes }] : []
  })
  const bytes = [...packed.values()].reduce((sum, each) => sum + each.bytes, hank.bytes)
  return { executions: Math.max(1, data.length), hank, data, bytes }
}

export function nameOf({ name, path }: DataSet): string {
  return name ?? posix.basename(path.split(sep).join('/'))
}

function facts({ hash, bytes }: PackedTree): { readonly hash: string; readonly bytes: number } {
  return { hash, bytes: bytes.length }
}
