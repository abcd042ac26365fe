import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** The newest part of a journal, read without an index: what a list needs of each of a thousand executions. */
export interface Tail {
  /** Of the newest segment, and how long it is. */
  readonly segment: string
  readonly size: number
  readonly lastSeq: number
  readonly lastId: string
  readonly lastTime: string
  /** Whole lines, oldest first. Bytes: most of them are only searched. */
  readonly lines: Buffer
  /** The first segment is the newest one, and all of it is here. */
  readonly isWhole: boolean
}

const mostBytes = 256 * 1024
const segmentName = /^events-\d{12,16}\.jsonl$/

/** Undefined when there is no whole line. Throws what the disk throws. */
export function readTail(journal: string): Tail | undefined {
  const names = segmentsIn(journal)
  const segment = names.at(-1)
  if (segment === undefined) return undefined
  const { bytes, size, from } = readPart(join(journal, segment), size => Math.max(0, size - mostBytes))
  return tailOf(bytes, { segment, size, isWhole: from === 0 && names.length === 1 })
}

/** What a run says at its start is within these. */
export const headBytes = 64 * 1024

/** Whole lines from the beginning; empty when there are none. Throws what the disk throws. */
export function readHead(journal: string): Buffer {
  const [segment] = segmentsIn(journal)
  if (segment === undefined) return Buffer.alloc(0)
  const { bytes } = readPart(join(journal, segment), () => 0, headBytes)
  return bytes.subarray(0, bytes.lastIndexOf(newline) + 1)
}

function readPart(path: string, begin: (size: number) => number, most = mostBytes) {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const from = begin(size)
    const bytes = Buffer.allocUnsafe(Math.min(most, size - from))
    const read = readSync(fd, bytes, 0, bytes.length, from)
    return { bytes: bytes.subarray(0, read), size, from }
  } finally {
    closeSync(fd)
  }
}

function segmentsIn(journal: string): readonly string[] {
  try {
    return readdirSync(journal)
      .filter(name => segmentName.test(name))
      .sort()
  } catch {
    return []
  }
}

const newline = 0x0a

function tailOf(bytes: Buffer, known: Pick<Tail, 'segment' | 'size' | 'isWhole'>): Tail | undefined {
  const end = bytes.lastIndexOf(newline)
  if (end === -1) return undefined
  const begin = known.isWhole ? 0 : bytes.indexOf(newline) + 1
  const found = lineHead.exec(bytes.toString('utf8', lineBegin(bytes, end), end))
  if (!found) return undefined
  const [, seq = '0', lastId = '', lastTime = ''] = found
  return { ...known, lastSeq: Number(seq), lastId, lastTime, lines: bytes.subarray(begin, end) }
}

const lineHead = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),.*?"id":"([^"]*)","timestamp":"([^"]*)"/

function lineBegin(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(newline, at - 1) + 1
}

/** The last line of a type, and where it ends. */
export function lastLine(lines: Buffer, type: string) {
  const at = lines.lastIndexOf(typeMark(type))
  if (at === -1) return undefined
  const newlineAt = lines.indexOf(newline, at)
  const end = newlineAt === -1 ? lines.length : newlineAt
  return { text: lines.toString('utf8', lineBegin(lines, at), end), end }
}

/** How often lines of a type occur. */
export function countLines(lines: Buffer, type: string): number {
  const mark = typeMark(type)
  let count = 0
  for (let at = lines.indexOf(mark); at !== -1; at = lines.indexOf(mark, at + mark.length)) count++
  return count
}

function typeMark(type: string): Buffer {
  return Buffer.from(`","type":"${type}",`)
}
