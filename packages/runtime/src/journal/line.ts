import { crc32 } from 'node:zlib'
import { escapeLineSeparators } from '../kit/index.ts'

/**
 * One event as one line of bytes.
 *
 *     {"crc":"1a2b3c4d","seq":7,"id":"evt_…","timestamp":"…","type":"info","data":{…}}\n
 *
 * A line is JSON that any tool can read. The checksum covers everything after its comma, so a flipped bit anywhere is
 * found without parsing, and `{` plus the checked rest is the event as it travels: old events are sent on without being
 * parsed. What does not travel stands right after the `seq`: which fields of the data are in the blob folder, and the
 * origin of the event.
 *
 *     {"crc":"…","seq":8,"blobs":{"content":["<sha256>",8192]},"id":"evt_…",…,"data":{"path":"a.txt","content":null}}
 *     {"crc":"…","seq":9,"origin":"sentinel","id":"evt_…",…}
 */
export type BlobRefs = Readonly<Record<string, BlobRef | readonly BlobRef[]>>

type BlobRef = readonly [sha256: string, bytes: number]

/** Where a field is: in one blob, or in several whose texts follow each other. */
export function blobsOf(refs: BlobRef | readonly BlobRef[]): readonly BlobRef[] {
  return isOne(refs) ? [refs] : refs
}

const isOne = (refs: BlobRef | readonly BlobRef[]): refs is BlobRef => typeof refs[0] === 'string'

/** What of an event stands in the line beside its data. */
export interface LineEnvelope {
  readonly seq: number
  readonly id: string
  readonly timestamp: string
  readonly type: string
  readonly commandId?: string | undefined
  readonly origin?: Origin | undefined
}

/** What caused an event, where that matters to those who listen: the work of a sentinel must not wake a sentinel. */
export type Origin = 'sentinel'

const head = '{"crc":"'
const restOffset = head.length + 8 + 2

/** `data` is the JSON text of the event's data; the fields named in `blobs` are null there. */
export function encodeLine(event: LineEnvelope, data: string, blobs?: BlobRefs): string {
  const rest = encodeRest(event, data, blobs)
  return `${head}${checksum(rest)}",${rest}\n`
}

/** The length of a whole line, its checksum and its LF included. */
export function lineLength(rest: Buffer): number {
  return restOffset + rest.length + 1
}

/** The event as it travels on a socket: the line without its checksum. */
export function eventText(line: string): string {
  return `{${line.slice(restOffset, -1)}`
}

/** The same for an event whose line holds more, or less. */
export function encodeEvent(event: Omit<LineEnvelope, 'origin'>, data: string): string {
  return `{${encodeRest(event, data, undefined)}`
}

function encodeRest(event: LineEnvelope, data: string, blobs: BlobRefs | undefined): string {
  const { seq, id, timestamp, type, commandId, origin } = event
  const spilled = blobs ? `"blobs":${JSON.stringify(blobs)},` : ''
  const cause = origin === undefined ? '' : `"origin":"${origin}",`
  const answer = commandId === undefined ? '' : `"commandId":${JSON.stringify(commandId)},`
  const rest = `"seq":${seq},${spilled}${cause}"id":"${id}","timestamp":"${timestamp}","type":"${type}",${answer}"data":${data}}`
  return escapeLineSeparators(rest)
}

export const lineFeed = 0x0a

export type LineDamage = 'checksum' | 'form'

/** A line that its checksum proved. */
export interface CheckedLine {
  readonly seq: number
  /** Where it begins in its segment. */
  readonly offset: number
  /** Size of the event as it travels, fields from the blob folder included. */
  readonly bytes: number
  /** The line has more than the event: it cannot be sent on as it is. */
  readonly spilled: boolean
  /** The line after its checksum; a view into a larger buffer: copy it to keep it long. */
  readonly rest: Buffer
}

/** Of a segment. */
export interface Piece {
  readonly chunk: Buffer
  /** Where it begins in its segment. */
  readonly start: number
}

const shortestRest = '"seq":1,"id":"","timestamp":"","type":"","data":{}}'.length
const seqLength = '"seq":'.length
const letterI = 'i'.charCodeAt(0)

/**
 * Proves the line between two places intact and reads its `seq`, without parsing the JSON. Made for millions of lines:
 * once the checksum holds, this program wrote the line, and its keys need no second look.
 */
export function checkLine(piece: Piece, from: number, to: number): CheckedLine | LineDamage {
  const { chunk } = piece
  const start = from + restOffset
  if (to - start < shortestRest) return 'form'
  const rest = chunk.subarray(start, to)
  if (crc32(rest) !== hexAt(chunk, from + head.length)) return 'checksum'
  let at = start + seqLength
  let seq = 0
  for (let digit = digitAt(chunk, at); digit >= 0; digit = digitAt(chunk, ++at)) seq = seq * 10 + digit
  // After the number comes `,"id":`, or first what does not travel.
  const spilled = chunk[at + 2] !== letterI
  const bytes = rest.length + 1 + (spilled ? spilledBytes(rest) : 0)
  return { seq, offset: piece.start + from, bytes, spilled, rest }
}

const openBrace = Buffer.from('{')

/** A checked line as the bytes of its event. */
export function eventBytes(rest: Buffer): Buffer {
  return Buffer.concat([openBrace, rest])
}

/** What a checked line says. Its checksum proves that this program wrote it, so its form needs no second look. */
export function parseLine(rest: Buffer): ParsedLine {
  return JSON.parse(`{${rest.toString('utf8')}`) as ParsedLine
}

interface ParsedLine extends LineEnvelope {
  readonly blobs?: BlobRefs
  readonly data: Readonly<Record<string, unknown>>
}

function spilledBytes(rest: Buffer): number {
  const { blobs } = parseLine(rest)
  if (!blobs) return 0
  return Object.values(blobs)
    .flatMap(blobsOf)
    .reduce((sum, [, bytes]) => sum + bytes, 0)
}

/** Eight hexadecimal digits as a number; -1 when there is another character among them. */
function hexAt(chunk: Buffer, at: number): number {
  let value = 0
  for (let index = at; index < at + 8; index++) {
    const byte = chunk[index] ?? 0
    const digit = byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : byte - 0x30
    if (digit < 0 || digit > 15) return -1
    value = value * 16 + digit
  }
  return value
}

function digitAt(chunk: Buffer, at: number): number {
  const digit = (chunk[at] ?? 0) - 0x30
  return digit <= 9 ? digit : -1
}

function checksum(rest: string): string {
  return crc32(rest).toString(16).padStart(8, '0')
}
