import type { Segment } from './segments.ts'

/** A line in its file. */
export interface PlacedLine {
  readonly segment: Segment
  readonly seq: number
  readonly offset: number
  readonly length: number
}

/** The lines of one writer since it parted from the others. */
export interface Chain {
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
export function createChains() {
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
export function lineageOf(chains: readonly Chain[]): readonly PlacedLine[] {
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
