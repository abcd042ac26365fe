import { fieldsOf } from './json-fields.ts'
import { splitLines } from './json-lines.ts'
import type { Marker, ProcessKey } from './process-clues.ts'
import { endOwned, signalGroup } from './process-sweep.ts'

/**
 * The other end of a warden, to be called with the marker and the last line that was sent; without the line it waits for the
 * end of `input`. SIGTERM, two seconds, SIGKILL, again while anything is found, a minute at most. Never rejects.
 */
export async function runWarden(
  words: readonly string[],
  input: AsyncIterable<Buffer> = process.stdin,
): Promise<void> {
  const [marker, told] = words
  if (!isMarker(marker)) return
  const last = told ?? (await lastLine(input))
  if (last === farewell) return
  const keys = parseList(last)
  // A table of processes is not to be had there, so nothing would be found below.
  if (process.platform === 'win32') for (const { pid } of keys) signalGroup(pid, 'SIGKILL')
  await endOwned({ marker, keys }, { graceMs, limitMs })
}

const graceMs = 2000
const limitMs = 60_000

function isMarker(word: string | undefined): word is Marker {
  return word !== undefined && /^[^=]+=./s.test(word)
}

/** The last whole line, or the farewell as soon as it comes. */
async function lastLine(input: AsyncIterable<Buffer>): Promise<string> {
  const lines = splitLines()
  let last = ''
  try {
    for await (const chunk of input) {
      for (const { bytes } of lines.push(chunk)) last = bytes.toString()
      if (last === farewell) break
    }
  } catch {
    // A pipe that breaks has ended like any other.
  }
  return last
}

/** Bare group ids, for a shell that can do no better, a semicolon, the keys. The last whole line counts. */
export function formatList(keys: readonly ProcessKey[]): string {
  return `${keys.map(({ pid }) => pid).join(' ')};${JSON.stringify(keys)}`
}

/** Anything else holds no keys. */
export function parseList(line: string): readonly ProcessKey[] {
  try {
    const value: unknown = JSON.parse(line.slice(line.indexOf(';') + 1))
    return Array.isArray(value) ? value.filter(isKey) : []
  } catch {
    return []
  }
}

/** The line of a normal end: nothing is to be ended. */
export const farewell = 'end'

function isKey(value: unknown): value is ProcessKey {
  const { pid, startTime } = fieldsOf(value)
  return Number.isSafeInteger(pid) && (startTime === undefined || typeof startTime === 'string')
}
