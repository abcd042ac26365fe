import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { unpackTar } from '../parcel/index.ts'
import { createPlacer, isInside } from '../parcel/place.ts'
import type { Store } from '../store/index.ts'

/** A folder or a file as one object of the store. */
export interface StoredTree {
  /** As `hashTree` gives it. */
  readonly hash: string
  readonly sha: string
  /** Its only file, when it is one. */
  readonly file?: string | undefined
}

/** A folder or a file that every worker has at the same path. */
export interface NamedTree {
  readonly hash: string
  readonly path: string
}

const mostUnpacked = 2 ** 31

/** Puts a stored tree into an empty folder, for reading only. */
export async function unpackTree(
  folder: string,
  { sha }: Pick<StoredTree, 'sha'>,
  store: Store,
): Promise<void> {
  const placer = createPlacer(folder)
  const packed = await promisify(gunzip)(await store.get(sha), { maxOutputLength: mostUnpacked })
  for (const { path, type, target, bytes, executable } of unpackTar(packed)) {
    if (!isInside(path)) throw new Error(`${path} leads out of the tree`)
    if (type === 'directory') placer.folder(path)
    else if (target !== undefined) placer.link(path, target)
    else placer.file(path, bytes, { mode: executable ? 0o555 : 0o444 })
  }
}
