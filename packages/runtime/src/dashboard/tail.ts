import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** What the newest part of a journal says, read without an index: what a list needs of each of a thousand executions. */
export interface Tail {
  readonly lastSeq: number
  readonly lastId: string
  readonly lastTime: string
  /** How many warnings are in it. */
  readonly warnings: number
  /** The line of a gate that nobody has answered. */
  readonly question?: string | undefined
  /** The path of the segment in which the journal begins. */
  readonly first: string
}

const mostBytes = 64 * 1024
/** A run says what it will do among its first words. */
const firstBytes = 8 * 1024
const segmentName = /^events-\d{12,16}\.jsonl$/

/** One for all: a thousand of these would stay with the process. What is read is looked at before anything else is. */
const scratch = Buffer.allocUnsafeSlow(mostBytes)

/** Undefined when there is no whole line. Throws what the disk throws. */
export function readTail(journal: string): Tail | undefined {
  const names = segmentsIn(journal)
  const [first] = names
  const segment = names.at(-1)
  if (first === undefined || segment === undefined) return undefined
  const { bytes, from } = readPart(join(journal, segment), size => Math.max(0, size - mostBytes))
  return tailOf(bytes, { isWhole: from === 0 && names.length === 1, first: join(journal, first) })
}

/** The line with which a run says what it will do; undefined when it is not at the beginning. Throws what the disk throws. */
export function readStart({ first }: Tail): string | undefined {
  for (const most of [firstBytes, mostBytes]) {
    const { bytes } = readPart(first, () => 0, most)
    const found = lastLine(bytes.subarray(0, bytes.lastIndexOf(newline) + 1), 'run.started')
    // It is said before the first codon begins.
    if (found || bytes.length < most || bytes.includes('"CodonStarted"')) return found?.text
  }
  return undefined
}

/** The bytes are good until the next reading. */
function readPart(path: string, begin: (size: number) => number, most = mostBytes) {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const from = begin(size)
    const read = readSync(fd, scratch, 0, Math.min(most, size - from), from)
    return { bytes: scratch.subarray(0, read), from }
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

interface Where {
  /** The bytes are the whole journal. */
  readonly isWhole: boolean
  readonly first: string
}

function tailOf(bytes: Buffer, { isWhole, first }: Where): Tail | undefined {
  const end = bytes.lastIndexOf(newline)
  if (end === -1) return undefined
  const found = lineHead.exec(bytes.toString('utf8', lineBegin(bytes, end), end))
  if (!found) return undefined
  const [, seq = '0', lastId = '', lastTime = ''] = found
  const lines = bytes.subarray(isWhole ? 0 : bytes.indexOf(newline) + 1, end)
  return {
    lastSeq: Number(seq),
    lastId,
    lastTime,
    warnings: countLines(lines, 'error'),
    question: questionIn(lines),
    first,
  }
}

/** Later lines that end a question; the end of a run does not. */
const endings = ['gate.decided', 'rollback.started', 'codon.started'] as const

function questionIn(lines: Buffer): string | undefined {
  const waiting = lastLine(lines, 'gate.waiting')
  const after = waiting && lines.subarray(waiting.end)
  return after && endings.some(type => lastLine(after, type)) ? undefined : waiting?.text
}

const lineHead = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),.*?"id":"([^"]*)","timestamp":"([^"]*)"/

function lineBegin(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(newline, at - 1) + 1
}

/** The last line of a type, and where it ends. */
function lastLine(lines: Buffer, type: string) {
  const mark = typeMark(type)
  let at = lines.indexOf(mark)
  if (at === -1) return undefined
  // Forwards: a search backwards through what has none takes ten times as long.
  for (let next = at; next !== -1; next = lines.indexOf(mark, next + mark.length)) at = next
  const newlineAt = lines.indexOf(newline, at)
  const end = newlineAt === -1 ? lines.length : newlineAt
  return { text: lines.toString('utf8', lineBegin(lines, at), end), end }
}

/** How often lines of a type occur. */
function countLines(lines: Buffer, type: string): number {
  const mark = typeMark(type)
  let count = 0
  for (let at = lines.indexOf(mark); at !== -1; at = lines.indexOf(mark, at + mark.length)) count++
  return count
}

function typeMark(type: string): Buffer {
  return Buffer.from(`","type":"${type}",`)
}
