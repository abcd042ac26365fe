import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ObjectType } from './object-id.ts'

/** An object as it stands in a pack: whole, never as a difference to another. */
export interface PackedObject {
  readonly oid: string
  readonly type: ObjectType
  /** Of the content. */
  readonly size: number
  readonly deflated: Buffer
}

export interface EncodedPack {
  /** `pack-<checksum>`, for the two files. */
  readonly name: string
  readonly pack: Buffer
  readonly index: Buffer
}

/** Both files of a pack (version 2 each). No two objects may be the same, and all together stay far below 2 GiB. */
export function encodePack(objects: readonly PackedObject[]): EncodedPack {
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
