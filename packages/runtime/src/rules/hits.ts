import type { RuleSetting } from '../settings/index.ts'

/** What made a rule fire. */
export interface Hits {
  readonly count: number
  /** `seq` of the events, the newest last. */
  readonly evidence: readonly number[]
}

interface Hit {
  /** Zero where no time is asked for: to read one costs more than all the rest. */
  readonly time: number
  readonly seqs: readonly number[]
}

const mostEvidence = 20

/**
 * Counts hits in one attempt at a codon: so many in a row, or so many within a time by the times of the events. What has
 * fired is not counted again.
 */
export function createHitCount({ times = 1, withinSeconds, atMost = 1 }: RuleSetting) {
  let hits: Hit[] = []
  let fired = 0
  return {
    /** Everything begins anew. */
    clear(): void {
      hits = []
      fired = 0
    },
    /** Something was looked at and is none: a row ends. */
    miss(): void {
      if (withinSeconds === undefined && hits.length > 0) hits = []
    },
    hit(timestamp: string, seqs: readonly number[]): Hits | undefined {
      if (fired >= atMost) return undefined
      const time = withinSeconds === undefined ? 0 : Date.parse(timestamp)
      hits.push({ time, seqs })
      if (withinSeconds !== undefined) hits = hits.filter(each => time - each.time <= withinSeconds * 1000)
      if (hits.length < times) return undefined
      const evidence = hits.flatMap(each => each.seqs).slice(-mostEvidence)
      const count = hits.length
      hits = []
      fired++
      return { count, evidence }
    },
  }
}
