import type { Stats } from 'node:fs'
import type { LargeFile, TreeReader } from '../files/index.ts'
import { messageOf } from '../kit/index.ts'
import { binaryId, blobIdOf, gitModeOf, type KnownFile, type ScanObserver, statKeyOf } from '../tree/index.ts'
import { writeLooseBlob } from './loose-object.ts'
import { changing, largeFile, largeFileBytes, type Notes, unreadable } from './note.ts'
import type { ObjectWriter } from './object-writer.ts'

export interface StoreFileContext {
  readonly reader: TreeReader
  /** The time of the file system before the scan. */
  readonly now: number
  readonly gitDir: string
  readonly writer: ObjectWriter
  readonly notes: Notes
  readonly signal?: AbortSignal | undefined
  readonly observer?: ScanObserver | undefined
}

/**
 * Puts what a file holds, or where a link points, into the store. `gone`: neither is there. `unreadable`: noted.
 * Rejects with the system's error when the store cannot be written, or with the reason of the signal.
 */
export async function storeFile(
  path: string,
  stored: string | undefined,
  context: StoreFileContext,
): Promise<KnownFile | 'gone' | 'unreadable'> {
  const { reader, writer, notes, observer } = context
  const reading = await reader.read(path)
  if (reading.kind === 'large') return storeLarge({ path, file: reading.file, stored }, context)
  await observer?.read(path, reading)
  switch (reading.kind) {
    case 'gone':
      return 'gone'
    case 'unreadable':
      notes.add(unreadable(path, reading.code))
      return 'unreadable'
    case 'read': {
      const { stats, bytes, changed } = reading
      if (changed) notes.add(changing(path, changed))
      return knownFile(stats, await writer.add('blob', bytes, stored), context.now)
    }
  }
}

function knownFile(stats: Stats, oid: string, now: number): KnownFile {
  const mode = gitModeOf(stats)
  if (mode === undefined) throw new Error('neither a file nor a link was read')
  return { mode, id: binaryId(oid), key: statKeyOf(stats, now) }
}

async function storeLarge(
  {
    path,
    file,
    stored,
  }: { readonly path: string; readonly file: LargeFile; readonly stored: string | undefined },
  { gitDir, notes, signal, now, observer }: StoreFileContext,
): Promise<KnownFile | 'unreadable'> {
  const { stats } = file
  let unread: { readonly error: unknown } | undefined
  let heard: ReturnType<ScanObserver['large']> | undefined
  async function* chunks() {
    heard = observer?.large()
    try {
      for await (const chunk of file.chunks(signal)) {
        heard?.add(chunk)
        yield chunk
      }
    } catch (error) {
      unread = { error }
      throw error
    }
  }
  try {
    // Reading it once more costs less than storing it for nothing.
    const isStored = stored !== undefined && (await blobIdOf({ ...file, chunks })) === stored
    const oid = isStored ? stored : await writeLooseBlob(gitDir, { size: stats.size, chunks: chunks() })
    await heard?.end(path, stats)
    if (!file.isSame()) notes.add(changing(path, 'always'))
    if (stats.size > largeFileBytes) notes.add(largeFile(path, stats.size))
    return knownFile(stats, oid, now)
  } catch (error) {
    signal?.throwIfAborted()
    if (!unread) throw error
    await observer?.read(path, { kind: 'unreadable', code: 'EIO' })
    notes.add(unreadable(path, messageOf(error)))
    return 'unreadable'
  } finally {
    file.close()
  }
}
