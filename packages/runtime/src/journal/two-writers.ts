import { readFile, rename, rm } from 'node:fs/promises'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'
import { lineLength } from './line.ts'
import { readSegment } from './line-reader.ts'
import type { Segment } from './segments.ts'
import { type Chain, createChains, lineageOf, type PlacedLine } from './writer-chains.ts'

/** Lines that a second writer had put into a journal, and where they are now, byte for byte. */
export interface OtherWriter {
  readonly lines: number
  readonly keptIn: readonly string[]
}

/**
 * Two programs wrote to one journal at once, so that numbers stand in it twice (an execution of the first versions, whose
 * server had lost its lock and woke up). The lines of each follow one another; those of the one that came further stay,
 * and those of the other go to a file beside their segment. First the copies, then the segments without them: whoever is
 * killed in between does the same again. Whoever calls holds the execution. Rejects with what the disk says.
 */
export async function separateWriters(segments: readonly Segment[]): Promise<OtherWriter> {
  const chains = await chainsOf(segments)
  const kept = new Set(lineageOf(chains))
  const others = chains.flatMap(({ lines }) => lines.filter(line => !kept.has(line)))
  const moves = segments.flatMap(segment => {
    const lines = others.filter(line => line.segment === segment).sort((a, b) => a.offset - b.offset)
    return lines.length === 0 ? [] : [{ segment, lines }]
  })
  const keptIn: string[] = []
  for (const { segment, lines } of moves) keptIn.push(await copyAside(segment, lines))
  for (const { segment, lines } of moves) await leaveOut(segment, lines)
  return { lines: others.length, keptIn }
}

async function chainsOf(segments: readonly Segment[]): Promise<readonly Chain[]> {
  const chains = createChains()
  for (const segment of segments) {
    for await (const { events } of readSegment(segment.path)) {
      for (const { seq, offset, rest } of events)
        chains.add({ segment, seq, offset, length: lineLength(rest) }, rest)
    }
  }
  return chains.all
}

async function copyAside({ path }: Segment, lines: readonly PlacedLine[]): Promise<string> {
  const bytes = await readFile(path)
  const text = Buffer.concat(lines.map(({ offset, length }) => bytes.subarray(offset, offset + length)))
  const target = await freeName(path.replace(/\.jsonl$/, '.other-writer'), text)
  await writeFileAtomic(target, text)
  return target
}

/** A name that nothing has, or that has this very text: a start before this one was killed right after it. */
async function freeName(name: string, text: Buffer): Promise<string> {
  for (let count = 1; ; count++) {
    const path = count === 1 ? name : `${name}-${count}`
    const there = await readRegularFile(path, { maxBytes: text.length })
    if (there.ok ? there.bytes.equals(text) : there.reason === 'missing') return path
  }
}

async function leaveOut({ path }: Segment, lines: readonly PlacedLine[]): Promise<void> {
  const bytes = await readFile(path)
  const pieces: Buffer[] = []
  let from = 0
  for (const { offset, length } of lines) {
    pieces.push(bytes.subarray(from, offset))
    from = offset + length
  }
  const rest = Buffer.concat([...pieces, bytes.subarray(from)])
  await rm(path.replace(/\.jsonl$/, '.idx'), { force: true })
  // A segment that was the other's from its first line to its last must not stay: its name would claim a number.
  if (rest.length === 0) await rename(path, `${path}.empty`)
  else await writeFileAtomic(path, rest)
}
