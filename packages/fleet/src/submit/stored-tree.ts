import { readFile, readlink, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { hashTree } from '@weave/runtime'
import { FleetFault } from '../fault.ts'
import { packTar, type TarEntry } from '../parcel/index.ts'
import type { NamedTree, StoredTree } from '../turn/index.ts'

export interface TreeWish {
  readonly path: string
  /** Paths below it that stay behind. */
  readonly skip?: (path: string) => boolean
  /** Sees every file before it goes in; may throw. */
  readonly inspect?: ((path: string, bytes: Buffer) => void) | undefined
}

/** A tree that is ready for the store. */
export interface PackedTree extends Omit<StoredTree, 'sha'> {
  readonly bytes: Buffer
}

const mostBytes = 64 * 1024 ** 2

/** A folder or a file as one object. */
export async function packTree({ path, skip, inspect }: TreeWish): Promise<PackedTree> {
  const found = await hashTree(path, skip ? { skip } : {})
  if (!found.ok) throw dataFault(found.message)
  const total = found.entries.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > mostBytes) throw dataFault(`${path} has ${total} bytes; one object holds ${mostBytes}`)
  const entries: TarEntry[] = []
  for (const { path: name, type, executable } of found.entries) {
    const whole = join(found.root, name)
    const bytes = type === 'file' ? await readFile(whole) : Buffer.alloc(0)
    inspect?.(name, bytes)
    entries.push({
      path: name,
      type,
      executable,
      bytes,
      ...(type === 'link' && { target: await readlink(whole) }),
    })
  }
  const isFile = (await stat(path)).isFile()
  const bytes = await promisify(gzip)(packTar(entries))
  return { hash: found.hash, bytes, ...(isFile && { file: basename(path) }) }
}

/** A folder or a file that stays where it is. */
export async function nameTree(path: string): Promise<NamedTree> {
  const found = await hashTree(path, {})
  if (!found.ok) throw dataFault(found.message)
  return { hash: found.hash, path }
}

function dataFault(message: string): FleetFault {
  return new FleetFault('FLEET_DATA', { message: `${message}.`, cure: 'See to the data, then submit again.' })
}
