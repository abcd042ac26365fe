import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** What is found in the newest part of a journal. */
export interface Said {
  /** How many warnings are in it. */
  readonly warnings: number
  /** The line of a gate that nobody has answered. */
  readonly question?: string | undefined
}

/** What the newest part of a journal says, read without an index: what a list needs of each of a thousand executions. */
export interface LastLines extends Said {
  readonly lastSeq: number
  readonly lastId: string
  readonly lastTime: string
  /** What its beginning says, when that was at hand. */
  readonly start?: Start | undefined
  /** The path of the segment in which the journal begins. */
  readonly first: string
}

interface Start {
  /** With which a run says what it will do. */
  readonly line: string | undefined
  /** Nothing more of it is to be found behind what was read. */
  readonly isAll: boolean
}

/** What was found when a certain event was the last one. */
export interface KnownEnd {
  readonly lastSeq: number
  readonly lastId: string
  readonly said?: Said | undefined
}

const mostBytes = 64 * 1024
/** A last line is mostly shorter. */
const lastBytes = 4 * 1024
/** A run says what it will do among its first words. */
const firstBytes = 8 * 1024
const segmentName = /^events-\d{12,16}\.jsonl$/

/** One for all: a thousand of these would stay with the process. What is read is looked at before anything else is. */
const scratch = Buffer.allocUnsafeSlow(mostBytes)

/** Undefined when there is no whole line. What is known of this end is not looked for again. Throws what the disk throws. */
export function readLastLines(journal: string, known?: KnownEnd): LastLines | undefined {
  const names = segmentsIn(journal)
  const [name] = names
  const newest = names.at(-1)
  if (name === undefined || newest === undefined) return undefined
  const first = join(journal, name)
  return readPart(join(journal, newest), (read, size) => {
    // The same file has both: to open one takes as long as to look through it.
    const start = names.length === 1 ? startIn(read(0, firstBytes), firstBytes) : undefined
    const end = known?.said && lastOf(read(Math.max(0, size - lastBytes), lastBytes))
    if (end && end.lastSeq === known.lastSeq && end.lastId === known.lastId)
      return { ...end, ...known.said, first, start }
    const from = Math.max(0, size - mostBytes)
    const bytes = read(from, mostBytes)
    const last = lastOf(bytes)
    if (!last) return undefined
    const isWhole = from === 0 && names.length === 1
    const lines = bytes.subarray(isWhole ? 0 : bytes.indexOf(newline) + 1, bytes.lastIndexOf(newline))
    return { ...last, ...saidIn(lines), first, start }
  })
}

/** For whoever writes down what is known of an end. Throws what the disk throws. */
export function saidUpTo(journal: string, lastSeq: number): Said | undefined {
  const last = readLastLines(journal)
  if (last?.lastSeq !== lastSeq) return undefined
  const { warnings, question } = last
  return { warnings, question }
}

/** The line with which a run says what it will do; undefined when it is not at the beginning. Throws what the disk throws. */
export function readStart({ first, start }: LastLines): string | undefined {
  const near = start ?? readPart(first, read => startIn(read(0, firstBytes), firstBytes))
  const { line } = near.isAll ? near : readPart(first, read => startIn(read(0, mostBytes), mostBytes))
  return line
}

function startIn(bytes: Buffer, wanted: number): Start {
  const line = lastLine(bytes.subarray(0, bytes.lastIndexOf(newline) + 1), runStarted)
  // It is said before the first codon begins.
  return { line, isAll: line !== undefined || bytes.length < wanted || bytes.includes(codonStarted) }
}

/** The bytes that `read` gives are good until it is called again. */
function readPart<T>(
  path: string,
  take: (read: (from: number, most: number) => Buffer, size: number) => T,
): T {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const read = (from: number, most: number): Buffer =>
      scratch.subarray(0, readSync(fd, scratch, 0, Math.min(most, size - from), from))
    return take(read, size)
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

/** The head of the last whole line. */
function lastOf(bytes: Buffer): Pick<LastLines, 'lastSeq' | 'lastId' | 'lastTime'> | undefined {
  const end = bytes.lastIndexOf(newline)
  if (end === -1) return undefined
  const found = lineHead.exec(bytes.toString('utf8', lineBegin(bytes, end), end))
  if (!found) return undefined
  const [, seq = '0', lastId = '', lastTime = ''] = found
  return { lastSeq: Number(seq), lastId, lastTime }
}

/** Of these types, and of the later ones that end a question; the end of a run does not. */
const wanted = /","type":"(error|gate\.waiting|gate\.decided|rollback\.started|codon\.started)",/g

/** All in one go, since a list looks through thousands of these. As Latin-1 each byte is a character. */
function saidIn(lines: Buffer): Said {
  let warnings = 0
  let question: number | undefined
  for (const { 1: type, index } of lines.toString('latin1').matchAll(wanted)) {
    if (type === 'error') warnings++
    else question = type === 'gate.waiting' ? index : undefined
  }
  return { warnings, question: question === undefined ? undefined : lineAt(lines, question) }
}

const lineHead = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),.*?"id":"([^"]*)","timestamp":"([^"]*)"/

function lineBegin(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(newline, at - 1) + 1
}

/** The last line with a mark. */
function lastLine(lines: Buffer, mark: Buffer): string | undefined {
  let at = lines.indexOf(mark)
  if (at === -1) return undefined
  // Forwards: a search backwards through what has none takes ten times as long.
  for (let next = at; next !== -1; next = lines.indexOf(mark, next + mark.length)) at = next
  return lineAt(lines, at)
}

function lineAt(lines: Buffer, at: number): string {
  const end = lines.indexOf(newline, at)
  return lines.toString('utf8', lineBegin(lines, at), end === -1 ? lines.length : end)
}

const runStarted = Buffer.from('","type":"run.started",')
const codonStarted = Buffer.from('"CodonStarted"')
