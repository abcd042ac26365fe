import { splitLines } from './json-lines.ts'
import { signalGroup } from './process-group.ts'
import type { Marker } from './process-marker.ts'
import { endOwned } from './process-sweep.ts'
import { farewell, parseList } from './warden-list.ts'

/**
 * The other end of a `Warden`: a program of its own, to be called with the words that follow the program's own arguments.
 * The first is the marker. The second is the last line that was told; without it the program waits for the end of `input`
 * itself. Then SIGTERM, two seconds, SIGKILL, and again for as long as anything is found, a minute at most. Never rejects.
 */
export async function runWarden(
  words: readonly string[],
  input: AsyncIterable<Buffer> = process.stdin,
): Promise<void> {
  const [marker, told] = words
  if (!isMarker(marker)) return
  const last = told ?? (await lastLine(input))
  if (last === farewell) return
  const names = parseList(last)
  // A table of processes is not to be had there, so nothing would be found below.
  if (process.platform === 'win32') for (const { pid } of names) signalGroup(pid, 'SIGKILL')
  await endOwned({ marker, names }, { graceMs, limitMs })
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
