import { createHash } from 'node:crypto'

export type ObjectType = 'commit' | 'tree' | 'blob'

/** In hexadecimal digits, as git shows it. */
export function objectId(type: ObjectType, content: Uint8Array): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/** The same with one character per byte: half as long, and ready for a tree. */
export function binaryId(oid: string): string {
  return Buffer.from(oid, 'hex').toString('latin1')
}

export function hexId(id: string): string {
  return Buffer.from(id, 'latin1').toString('hex')
}
