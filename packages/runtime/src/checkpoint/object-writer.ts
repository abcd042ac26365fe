import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflate, deflateSync } from 'node:zlib'
import { prepareFile, syncDirectory } from '../files/index.ts'
import { createId } from '../kit/index.ts'
import { type ObjectType, objectId } from '../tree/index.ts'

export type ObjectWriter = ReturnType<typeof createObjectWriter>

/**
 * Puts objects into the store, in packs of a bounded size. Nothing is sure to be there before `flush` resolves; then all
 * of it is, also after a power cut. A kill leaves at most files that nothing refers to. One at a time.
 */
export function createObjectWriter(gitDir: string) {
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
    /** Returns its id. An object whose id is `stored` is in the store already. Rejects with the system's error. */
    async add(type: ObjectType, content: Buffer, stored?: string): Promise<string> {
      const oid = objectId(type, content)
      if (oid === stored || seen.has(oid)) return oid
      seen.add(oid)
      const stream = await deflated(type, content)
      waiting.push({ oid, type, size: content.length, deflated: stream })
      bytes += stream.length
      if (bytes > packBytes || waiting.length >= packObjects) await flush()
      return oid
    },
    flush,
  }
}

const packBytes = 32 << 20
/** A pack is encoded in one go, and nothing else has a turn meanwhile. */
const packObjects = 30_000

/** The content as a zlib stream, which is how git keeps all of it. */
export function deflated(type: ObjectType, content: Buffer): Buffer | Promise<Buffer> {
  // Trees are mostly ids, which are as good as random.
  if (type !== 'blob' && content.length <= longestStored) return storedBlock(content)
  // Node allocates and keeps a whole chunk for the result, however short that is.
  const chunkSize = Math.min(largestChunk, Math.max(smallestChunk, content.length))
  // A window as large as the content, and tables that go with it: to set up more takes longer than to fill it.
  const windowBits = Math.min(widestWindow, Math.max(narrowestWindow, 33 - Math.clz32(content.length)))
  const memLevel = Math.min(mostMemory, Math.max(leastMemory, windowBits - 7))
  const options = { level: 1, chunkSize, windowBits, memLevel }
  return content.length <= smallContent ? deflateSync(content, options) : deflateLater(content, options)
}

/** For more, another thread; for less, the way there takes longer than the work. */
const smallContent = 64 << 10
const smallestChunk = 64
const largestChunk = 64 << 10
const narrowestWindow = 9
const widestWindow = 15
const leastMemory = 2
const mostMemory = 8
const deflateLater = promisify(deflate)
const longestStored = 0xffff

/** A stream of one block that is not compressed: what setting up a compressor costs is ten times as much. */
function storedBlock(content: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(content.length + 11)
  let at = bytes.writeUInt16BE(streamHead, 0)
  at = bytes.writeUInt8(lastBlock, at)
  at = bytes.writeUInt16LE(content.length, at)
  at = bytes.writeUInt16LE(content.length ^ 0xffff, at)
  at += content.copy(bytes, at)
  bytes.writeUInt32BE(adler32(content), at)
  return bytes
}

const streamHead = 0x7801
const lastBlock = 1

function adler32(content: Buffer): number {
  let a = 1
  let b = 0
  for (let at = 0; at < content.length; ) {
    const end = Math.min(at + sumsBeforeOverflow, content.length)
    for (; at < end; at++) {
      a += content[at] ?? 0
      b += a
    }
    a %= modulus
    b %= modulus
  }
  return b * 65_536 + a
}

const modulus = 65_521
const sumsBeforeOverflow = 3_800

/** An object as it stands in a pack: whole, never as a difference to another. */
interface PackedObject {
  readonly oid: string
  readonly type: ObjectType
  /** Of the content. */
  readonly size: number
  readonly deflated: Buffer
}

/**
 * Both files of a pack (version 2 each), and `pack-<checksum>`, their name. No two objects may be the same, and all
 * together stay far below 2 GiB.
 */
export function encodePack(objects: readonly PackedObject[]) {
  const header = Buffer.alloc(12)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects.length, 8)

  const parts: Buffer[] = [header]
  const rows: Row[] = []
  let offset = header.length
  for (const { oid, type, size, deflated } of objects) {
    const head = entryHead(type, size)
    rows.push({ oid, offset, crc: crc32(deflated, crc32(head)) })
    parts.push(head, deflated)
    offset += head.length + deflated.length
  }
  const body = Buffer.concat(parts)
  const checksum = sha1(body)
  const index = encodeIndex(rows, checksum)
  return { name: `pack-${checksum.toString('hex')}`, pack: Buffer.concat([body, checksum]), index }
}

interface Row {
  readonly oid: string
  readonly offset: number
  readonly crc: number
}

const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 }

/** The type and the size: four bits in the first byte, then seven in each. */
function entryHead(type: ObjectType, size: number): Buffer {
  const bytes = [(typeNumbers[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, rest & 127)
  }
  return Buffer.from(bytes)
}

function encodeIndex(unsorted: readonly Row[], packChecksum: Buffer): Buffer {
  const rows = unsorted.toSorted((a, b) => (a.oid < b.oid ? -1 : 1))
  const fanout = Buffer.alloc(1024)
  const names = Buffer.alloc(20 * rows.length)
  const sums = Buffer.alloc(4 * rows.length)
  const offsets = Buffer.alloc(4 * rows.length)
  const counts = new Uint32Array(256)
  for (const [at, { oid, offset, crc }] of rows.entries()) {
    names.write(oid, 20 * at, 'hex')
    sums.writeUInt32BE(crc, 4 * at)
    offsets.writeUInt32BE(offset, 4 * at)
    const first = names[20 * at] ?? 0
    counts[first] = (counts[first] ?? 0) + 1
  }
  let total = 0
  for (const [first, count] of counts.entries()) {
    total += count
    fanout.writeUInt32BE(total, 4 * first)
  }
  const body = Buffer.concat([indexHead, fanout, names, sums, offsets, packChecksum])
  return Buffer.concat([body, sha1(body)])
}

const indexHead = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])

function sha1(bytes: Buffer): Buffer {
  return createHash('sha1').update(bytes).digest()
}
