import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { readRegularFile } from '../files/index.ts'
import { contentParts } from './content-parts.ts'
import { type BlobRefs, blobsOf, parseLine } from './line.ts'

/**
 * Large fields of events, each stored once under its SHA-256. A blob holds the JSON text of one field, or a part of it: a snapshot says
 * all that the one before it said, and a little more.
 *
 * `Spill` writes before it returns, so a line never names a blob that was not written; the caller syncs the paths it
 * gets back before it calls the line durable.
 */
interface Spilled {
  /** JSON text of the data with null in place of the spilled fields. */
  readonly data: string
  readonly blobs: BlobRefs
  /** Files written by this call, still to be synced. */
  readonly written: readonly string[]
}

/** A field whose JSON is longer than this many bytes is kept out of the line. */
const longestField = 4096

export function needsSpill(json: string): boolean {
  return (
    json.length > longestField || (json.length * 3 > longestField && Buffer.byteLength(json) > longestField)
  )
}

/** Returns undefined when every field is short enough after all. Throws what the disk throws. */
export type Spill = (data: object) => Spilled | undefined

export function createSpill(dir: string): Spill {
  const seen = new Set<string>()

  const put = (bytes: Buffer): { readonly sha256: string; readonly path?: string } => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (seen.has(sha256)) return { sha256 }
    const path = blobPath(dir, sha256)
    const isNew = !isWhole(path, bytes.length)
    if (isNew) writeBlob(path, bytes)
    // What is forgotten is only looked up on disk again.
    if (seen.size >= mostRemembered) seen.clear()
    seen.add(sha256)
    return isNew ? { sha256, path } : { sha256 }
  }

  return data => {
    const blobs: Record<string, BlobRefs[string]> = {}
    const written: string[] = []
    const short: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(data)) {
      const json = JSON.stringify(value)
      if (json === undefined || !needsSpill(json)) {
        short[key] = value
        continue
      }
      const refs = contentParts(Buffer.from(json)).map(bytes => {
        const { sha256, path } = put(bytes)
        if (path) written.push(path)
        return [sha256, bytes.length] as const
      })
      blobs[key] = refs.length === 1 && refs[0] ? refs[0] : refs
      short[key] = null
    }
    return Object.keys(blobs).length === 0 ? undefined : { data: JSON.stringify(short), blobs, written }
  }
}

const mostRemembered = 4096

/** Puts the spilled fields back. A blob that is missing or damaged leaves its field null. */
export async function restoreFields(
  dir: string,
  data: Readonly<Record<string, unknown>>,
  blobs: BlobRefs,
): Promise<Record<string, unknown>> {
  const whole: Record<string, unknown> = { ...data }
  for (const [key, refs] of Object.entries(blobs)) {
    const parts = await Promise.all(blobsOf(refs).map(([sha256]) => readBlob(dir, sha256)))
    if (parts.every(part => part !== undefined))
      whole[key] = JSON.parse(Buffer.concat(parts).toString('utf8'))
  }
  return whole
}

/** Of all fields that a line does not hold itself. */
export function blobNames(rest: Buffer): readonly string[] {
  const { blobs = {} } = parseLine(rest)
  return Object.values(blobs)
    .flatMap(blobsOf)
    .flatMap(([sha256]) => (/^[0-9a-f]{64}$/.test(sha256) ? [sha256] : []))
}

async function readBlob(dir: string, sha256: string): Promise<Buffer | undefined> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined
  const read = await readRegularFile(blobPath(dir, sha256), { maxBytes: longestBlob })
  if (!read.ok) return undefined
  return createHash('sha256').update(read.bytes).digest('hex') === sha256 ? read.bytes : undefined
}

/** No event is larger. */
const longestBlob = 1024 * 1024 * 1024

export function blobPath(dir: string, sha256: string): string {
  return join(dir, sha256.slice(0, 2), sha256)
}

/** A file of another length is what a power cut left behind; it is written again. */
function isWhole(path: string, bytes: number): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.size === bytes
}

function writeBlob(path: string, bytes: Buffer): void {
  fs.mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.tmp`
  const flags = fs.constants.O_CREAT | fs.constants.O_TRUNC | fs.constants.O_WRONLY | fs.constants.O_NOFOLLOW
  const fd = fs.openSync(temporary, flags, 0o600)
  try {
    fs.writeFileSync(fd, bytes)
  } finally {
    fs.closeSync(fd)
  }
  fs.renameSync(temporary, path)
}
