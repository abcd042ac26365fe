import { readFile, rename, rm } from 'node:fs/promises'
import { readRegularFile, writeFileAtomic } from '../files/index.ts'
import { lineLength } from './line.ts'
import { readSegment } from './line-reader.ts'
import type { Segment } from './segments.ts'

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

/** A line in its file. */
interface PlacedLine {
  readonly segment: Segment
  readonly seq: number
  readonly offset: number
  readonly length: number
}

/** The lines of one writer since it parted from the others. */
interface Chain {
  /** From which it parted, right after this number; undefined: the first one. */
  readonly parent: Chain | undefined
  readonly parted: number
  last: number
  readonly lines: PlacedLine[]
  readonly runIds: Set<string>
}

/**
 * Tells apart who wrote which line of a journal, in the order of its files: every writer numbers its own lines one by one.
 * Where two are at the same number, a line belongs to the one whose run it names, else to the one that wrote last.
 */
function createChains() {
  const all: Chain[] = [{ parent: undefined, parted: 0, last: 0, lines: [], runIds: new Set() }]
  let current = all[0] as Chain

  const fork = (seq: number): Chain => {
    const parent = all.find(({ lines }) => lines.some(line => line.seq === seq - 1))
    const chain: Chain = { parent, parted: seq - 1, last: seq - 1, lines: [], runIds: new Set() }
    all.push(chain)
    return chain
  }

  const writerOf = (seq: number, runId: string | undefined): Chain => {
    const next = all.filter(({ last }) => last === seq - 1)
    if (next.length > 1) {
      const named = next.filter(({ runIds }) => runId !== undefined && runIds.has(runId))
      if (named.length === 1 && named[0]) return named[0]
    }
    if (next.includes(current)) return current
    if (next[0]) return next[0]
    const furthest = furthestOf(all)
    return seq > furthest.last ? furthest : fork(seq)
  }

  return {
    all: all as readonly Chain[],
    add(line: PlacedLine, rest: Buffer): void {
      const runId = runIdIn(rest)
      current = writerOf(line.seq, runId)
      current.last = line.seq
      current.lines.push(line)
      if (runId !== undefined) current.runIds.add(runId)
    },
  }
}

/** The lines that stay: those of the writer that came furthest, and what it went on from. */
function lineageOf(chains: readonly Chain[]): readonly PlacedLine[] {
  const lines: PlacedLine[] = []
  let upTo = Number.POSITIVE_INFINITY
  for (let chain: Chain | undefined = furthestOf(chains); chain; chain = chain.parent) {
    for (const line of chain.lines) if (line.seq <= upTo) lines.push(line)
    upTo = chain.parted
  }
  return lines
}

function furthestOf(chains: readonly Chain[]): Chain {
  return chains.reduce((furthest, chain) => (chain.last > furthest.last ? chain : furthest))
}

const headBytes = 4096

function runIdIn(rest: Buffer): string | undefined {
  return /"runId":"([^"]+)"/.exec(rest.subarray(0, headBytes).toString('latin1'))?.[1]
}
