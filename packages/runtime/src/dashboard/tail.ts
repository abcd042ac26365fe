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
  /** Whole lines, oldest first. */
  readonly text: string
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
  const { text, size, from } = readPart(join(journal, segment), size => Math.max(0, size - mostBytes))
  return tailOf(text, { segment, size, isWhole: from === 0 && names.length === 1 })
}

const headBytes = 64 * 1024

/** Whole lines from the beginning; empty when there are none. Throws what the disk throws. */
export function readHead(journal: string): string {
  const [segment] = segmentsIn(journal)
  if (segment === undefined) return ''
  const { text } = readPart(join(journal, segment), () => 0, headBytes)
  return text.slice(0, text.lastIndexOf('\n') + 1)
}

function readPart(path: string, begin: (size: number) => number, most = mostBytes) {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const from = begin(size)
    const bytes = Buffer.allocUnsafe(Math.min(most, size - from))
    const read = readSync(fd, bytes, 0, bytes.length, from)
    return { text: bytes.subarray(0, read).toString('utf8'), size, from }
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

function tailOf(text: string, known: Pick<Tail, 'segment' | 'size' | 'isWhole'>): Tail | undefined {
  const end = text.lastIndexOf('\n')
  if (end === -1) return undefined
  const begin = known.isWhole ? 0 : text.indexOf('\n') + 1
  const last = text.slice(text.lastIndexOf('\n', end - 1) + 1, end)
  const found = lineHead.exec(last)
  if (!found) return undefined
  const [, seq = '0', lastId = '', lastTime = ''] = found
  return { ...known, lastSeq: Number(seq), lastId, lastTime, text: text.slice(begin, end) }
}

const lineHead = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),.*?"id":"([^"]*)","timestamp":"([^"]*)"/

/** How often lines of a type occur in a text of whole lines, and where the last one is. */
export function linesOf(text: string, type: string): { readonly count: number; readonly last: string } {
  const mark = `","type":"${type}",`
  let count = 0
  let at = -1
  for (let found = text.indexOf(mark); found !== -1; found = text.indexOf(mark, found + 1)) {
    count++
    at = found
  }
  if (at === -1) return { count, last: '' }
  const end = text.indexOf('\n', at)
  return { count, last: text.slice(text.lastIndexOf('\n', at) + 1, end === -1 ? text.length : end) }
}
