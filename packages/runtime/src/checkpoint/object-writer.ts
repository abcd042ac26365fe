import { join } from 'node:path'
import { prepareFile, syncDirectory } from '../files/index.ts'
import { createId } from '../kit/index.ts'
import { deflated } from './deflated.ts'
import { type ObjectType, objectId } from './object-id.ts'
import { encodePack, type PackedObject } from './pack-file.ts'

/**
 * Puts objects into the store, in packs of a bounded size. Nothing is sure to be there before `flush` resolves; then all
 * of it is, also after a power cut. A kill leaves at most files that nothing refers to. One at a time.
 */
export interface ObjectWriter {
  /** Returns its id. An object whose id is `stored` is in the store already. Rejects with the system's error. */
  add(type: ObjectType, content: Buffer, stored?: string): Promise<string>
  flush(): Promise<void>
}

export function createObjectWriter(gitDir: string): ObjectWriter {
  const packs = join(gitDir, 'objects', 'pack')
  const seen = new Set<string>()
  let waiting: PackedObject[] = []
  let bytes = 0

  async function flush(): Promise<void> {
    if (waiting.length === 0) return
    const { name, pack, index } = encodePack(waiting)
    waiting = []
    bytes = 0
    const prepare = (content: Buffer, ending: string) =>
      prepareFile(content, {
        temporary: join(packs, createId('tmp_pack')),
        target: join(packs, `${name}.${ending}`),
        mode: 0o400,
      })
    const [packFile, indexFile] = await Promise.all([prepare(pack, 'pack'), prepare(index, 'idx')])
    // git takes a pack for real once it has its index.
    packFile.place()
    indexFile.place()
    await syncDirectory(packs)
  }

  return {
    async add(type, content, stored) {
      const oid = objectId(type, content)
      if (oid === stored || seen.has(oid)) return oid
      seen.add(oid)
      const stream = await deflated(type, content)
      waiting.push({ oid, type, size: content.length, deflated: stream })
      bytes += stream.length
      if (bytes > packBytes) await flush()
      return oid
    },
    flush,
  }
}

const packBytes = 32 << 20
