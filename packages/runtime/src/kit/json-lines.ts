import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { errorCode } from './errors.ts'

/** `bytes` shares memory with its chunk: copy it to keep it long. */
export interface Line {
  readonly offset: number
  readonly length: number
  /** Empty when `tooLong`. */
  readonly bytes: Buffer
  /** `false` only for the last line, when no line feed ends it. */
  readonly terminated: boolean
  readonly tooLong: boolean
}

/**
 * Splits bytes at 0x0A only: a carriage return and the Unicode separators may stand inside a record. A line longer than
 * `maxLineBytes` is skipped and reported as a value; no more than that is held. Never throws.
 */
export function splitLines({ start = 0, maxLineBytes = 64 << 20 } = {}) {
  let offset = start
  let parts: Buffer[] = []
  let length = 0

  /** The chunk must not be changed afterwards. */
  function push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = []
    let from = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      lines.push(finish(chunk.subarray(from, at), true))
      from = at + 1
    }
    keep(chunk.subarray(from))
    return lines
  }

  /** What is left: one line or none. */
  function end(): readonly Line[] {
    return length === 0 ? [] : [finish(nothing, false)]
  }

  function keep(part: Buffer): void {
    length += part.length
    if (length > maxLineBytes) parts = []
    else if (part.length > 0) parts.push(part)
  }

  function finish(last: Buffer, terminated: boolean): Line {
    const total = length + last.length
    const tooLong = total > maxLineBytes
    const bytes = tooLong ? nothing : length === 0 ? last : Buffer.concat([...parts, last], total)
    const line = { offset, length: total, bytes, terminated, tooLong }
    offset += total + (terminated ? 1 : 0)
    length = 0
    if (parts.length > 0) parts = []
    return line
  }

  return { push, end }
}

interface ReadLinesOptions {
  /** A byte offset. */
  readonly start?: number
  /** A byte offset, exclusive. */
  readonly end?: number
  readonly maxLineBytes?: number
  readonly chunkBytes?: number
}

/**
 * The lines of a file up to its end at that moment, as one array per chunk: a wait per line would cost more than the reading.
 * Whether a last line that is not `terminated` is torn or still being written only the caller can know.
 */
export async function* readLines(
  path: string,
  { end = Number.POSITIVE_INFINITY, chunkBytes = 1 << 20, ...options }: ReadLinesOptions = {},
): AsyncGenerator<readonly Line[], void, undefined> {
  const splitter = splitLines(options)
  // O_NONBLOCK: a FIFO in the file's place must not hold a thread for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    for (let position = options.start ?? 0; position < end; ) {
      // A fresh buffer each time, because the lines point into it.
      const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - position))
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      const lines = splitter.push(chunk.subarray(0, bytesRead))
      if (lines.length > 0) yield lines
    }
    const rest = splitter.end()
    if (rest.length > 0) yield rest
  } finally {
    await file.close()
  }
}

/**
 * What the lines of a log hold, in order. A line that is no JSON, such as one that a kill cut off, and one of which `parse`
 * makes nothing are passed over; a file that is not there has none. Rejects when it cannot be read.
 */
export async function readRecords<Item>(
  path: string,
  parse: (value: unknown) => Item | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = []
  try {
    for await (const lines of readLines(path)) {
      items.push(...lines.flatMap(({ bytes }) => parse(jsonIn(bytes)) ?? []))
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return items
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** For text made by `JSON.stringify`. */
export function escapeLineSeparators(json: string): string {
  return json.replace(/[\u2028\u2029]/g, separator => (separator === '\u2028' ? '\\u2028' : '\\u2029'))
}

const lineFeed = 0x0a
const nothing = Buffer.alloc(0)
