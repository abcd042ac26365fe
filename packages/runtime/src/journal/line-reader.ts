import { type EventType, events, eventTypes } from '@weave/protocol'
import { openRegularFile } from '../files/index.ts'
import { type CheckedLine, checkLine, type LineDamage, lineFeed, type Piece } from './line.ts'
import { typeOf } from './line-type.ts'

/** An event as its line has it. */
export type StoredEvent = CheckedLine

interface ReadChunk {
  readonly events: readonly StoredEvent[]
  /** Whole lines that are damaged. */
  readonly damaged: readonly { readonly offset: number; readonly reason: LineDamage }[]
  /** Where the last whole line of this chunk ends. */
  readonly end: number
  /** Where the last intact line of this chunk ends; 0 if it has none. */
  readonly intactEnd: number
}

/** No event is longer than this: large fields are in the blob folder. What is longer is damage and is passed over. */
const longestLine = 64 * 1024 * 1024

/** So much is read at once, but for a longer line. */
export const mostChunkBytes = 1024 * 1024

/**
 * Room for one who reads a whole journal and keeps nothing of it. Small: what is read at once lives as long as it is looked at,
 * and the less there is of it the less the collector has to carry on.
 */
export function createScratch(): Buffer {
  return Buffer.allocUnsafeSlow(256 * 1024)
}

interface ReadOptions {
  readonly start?: number
  readonly chunkBytes?: number
  /** Chunks are as long as this and read into it, but for longer lines: the events of one are good until the next is asked for. */
  readonly scratch?: Buffer | undefined
}

/**
 * Reads the whole lines of a segment in chunks. A line that goes over the end of a chunk is read again with the next
 * one; a last line without its LF is left out. Throws only what the disk throws.
 */
export async function* readSegment(path: string, options: ReadOptions = {}): AsyncGenerator<ReadChunk> {
  const file = await openRegularFile(path)
  try {
    let { start = 0, chunkBytes = mostChunkBytes } = options
    if (options.scratch) chunkBytes = Math.min(chunkBytes, options.scratch.length)
    for (;;) {
      // Otherwise a new buffer each time: the events of earlier chunks point into theirs.
      const buffer = roomIn(options.scratch, chunkBytes) ?? Buffer.allocUnsafeSlow(chunkBytes)
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, start)
      if (bytesRead === 0) return
      const chunk = splitChunk({ chunk: buffer.subarray(0, bytesRead), start })
      if (chunk.end > start) yield chunk
      const stuck = chunk.end === start
      if (stuck && bytesRead < chunkBytes) return
      if (stuck && chunkBytes < longestLine) chunkBytes *= 2
      else start = stuck ? start + bytesRead : chunk.end
    }
  } finally {
    await file.close()
  }
}

function roomIn(scratch: Buffer | undefined, bytes: number): Buffer | undefined {
  return scratch && scratch.length >= bytes ? scratch : undefined
}

function splitChunk(piece: Piece): ReadChunk {
  const { chunk, start } = piece
  const events: StoredEvent[] = []
  const damaged: { offset: number; reason: LineDamage }[] = []
  let from = 0
  let intactEnd = 0
  for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
    const line = checkLine(piece, from, to)
    if (typeof line === 'string') damaged.push({ offset: start + from, reason: line })
    else {
      events.push(line)
      intactEnd = start + to + 1
    }
    from = to + 1
  }
  return { events, damaged, end: start + from, intactEnd }
}

/** How many events there are: all of them, those that every client knows, and those that may carry a plan. */
export interface EventCounts {
  readonly all: number
  readonly forEveryone: number
  readonly plans: number
}

export const noEvents: EventCounts = { all: 0, forEveryone: 0, plans: 0 }

export function addCounts(one: EventCounts, other: EventCounts): EventCounts {
  return {
    all: one.all + other.all,
    forEveryone: one.forEveryone + other.forEveryone,
    plans: one.plans + other.plans,
  }
}

export function countOf(types: readonly string[]): EventCounts {
  return {
    all: types.length,
    forEveryone: types.filter(type => everyonesTypes.has(type)).length,
    plans: types.filter(type => type === planType).length,
  }
}

/** The event that carries a plan; there are few, and each start looks for the last one. */
export const planType: EventType = 'preflight.result'

/** Whether a client that did not ask for extension events may see this one. */
export function isForEveryone(stored: StoredEvent): boolean {
  return isOfEveryone(typeOf(stored))
}

export function isOfEveryone(type: string): boolean {
  return everyonesTypes.has(type)
}

const everyonesTypes: ReadonlySet<string> = new Set(
  eventTypes.filter(type => events[type].category !== 'extension'),
)
