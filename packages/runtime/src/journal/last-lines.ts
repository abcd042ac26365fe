import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { plannedCodons, type ReadBytes } from './planned-codons.ts'

/** What is found by looking through a journal. */
export interface Said {
  /** How many warnings are in the newest part of it. */
  readonly warnings: number
  /** The line of a gate that nobody has answered. */
  readonly question?: string | undefined
  /** How many the plan has, loops with their limit. 0: that is not known. */
  readonly codons: number
}

/** What a journal says at both ends, read without an index: what a list needs of each of a thousand executions. */
export interface LastLines extends Said {
  readonly lastSeq: number
  readonly lastId: string
  readonly lastTime: string
}

/** What was found when a certain event was the last one. */
export interface KnownEnd {
  readonly lastSeq: number
  readonly lastId: string
  readonly said?: Said | undefined
}

interface Known {
  readonly end?: KnownEnd | undefined
  /** As they were found before; 0 when they were not. */
  readonly codons?: number | undefined
}

const mostBytes = 64 * 1024
/** A last line is mostly shorter. */
const lastBytes = 4 * 1024
const segmentName = /^events-\d{12,16}\.jsonl$/

/** One for all: a thousand of these would stay with the process. What is read is looked at before anything else is. */
const scratch = Buffer.allocUnsafeSlow(mostBytes)

/** Undefined when there is no whole line. What is known is not looked for again. Throws what the disk throws. */
export function readLastLines(journal: string, known: Known = {}): LastLines | undefined {
  const names = segmentsIn(journal)
  const [first] = names
  const newest = names.at(-1)
  if (first === undefined || newest === undefined) return undefined
  return readSegment(join(journal, newest), (read, size) => {
    const { end } = known
    if (end?.said) {
      const near = lastOf(read(Math.max(0, size - lastBytes), lastBytes))
      if (near?.lastSeq === end.lastSeq && near.lastId === end.lastId) return { ...near, ...end.said }
    }
    const from = Math.max(0, size - mostBytes)
    const bytes = read(from, mostBytes)
    const last = lastOf(bytes)
    if (!last) return undefined
    const isWhole = from === 0 && names.length === 1
    const lines = bytes.subarray(isWhole ? 0 : bytes.indexOf(newline) + 1, bytes.lastIndexOf(newline))
    const said = saidIn(lines)
    const planned: Take<number> = readFirst => plannedCodons(readFirst, join(journal, 'blobs'))
    // The same file has both ends, mostly: to open one takes as long as to look through it.
    const found = () =>
      names.length === 1 ? planned(read, size) : readSegment(join(journal, first), planned)
    return { ...last, ...said, codons: known.codons || found() }
  })
}

/** For whoever writes down what is known of an end. Throws what the disk throws. */
export function saidUpTo(journal: string, lastSeq: number): Said | undefined {
  const last = readLastLines(journal)
  if (last?.lastSeq !== lastSeq) return undefined
  const { warnings, question, codons } = last
  return { warnings, question, codons }
}

type Take<T> = (read: ReadBytes, size: number) => T

function readSegment<T>(path: string, take: Take<T>): T {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const read: ReadBytes = (from, most) =>
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
function lastOf(bytes: Buffer): Omit<LastLines, keyof Said> | undefined {
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
function saidIn(lines: Buffer): Pick<Said, 'warnings' | 'question'> {
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

function lineAt(lines: Buffer, at: number): string {
  const end = lines.indexOf(newline, at)
  return lines.toString('utf8', lineBegin(lines, at), end === -1 ? lines.length : end)
}
