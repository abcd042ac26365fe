/** Between a worker and the process of one turn. The worker has the engine and the store; the process has the agents. */

/** What the process is to do. All paths are absolute. */
export interface TurnJob {
  /** For the journal. */
  readonly turn: {
    readonly executionId: string
    readonly batchId: string
    readonly epoch: number
    readonly worker: string
    /** Number of the head that it goes on from; 0: there is none. */
    readonly head: number
  }
  readonly hank: string
  readonly data?: string | undefined
  readonly dataHash?: string | undefined
  readonly execution: string
  readonly outputs: string
  readonly rehearse: boolean
  readonly model?: string | undefined
  readonly maxCost?: string | undefined
  readonly maxTime?: string | undefined
}

/** At a border between codons. */
export interface TurnStep {
  readonly codonId: string
  readonly attempt: number
  readonly costs: readonly CodonCosts[]
}

/** What one codon has cost so far with one model, in all attempts. */
export interface CodonCosts {
  readonly codon: string
  readonly model: string
  readonly attempts: number
  readonly in: number
  readonly out: number
  readonly cacheWrite: number
  readonly cacheRead: number
  readonly dollars: number
  /** False: some of it has no known price. */
  readonly isKnown: boolean
}

/** Number and size of a head, and how long it took to publish it. */
export interface Published {
  readonly seq: number
  readonly bytes: number
  readonly ms: number
}

export type TurnWord = ({ readonly kind: 'go' } | { readonly kind: 'leave'; readonly reason: string }) & {
  readonly published?: Published | undefined
}

export interface TurnEnd {
  /** `not-begun`: nothing of the hank ran in this turn; another may have more luck. */
  readonly status: 'completed' | 'failed' | 'stopped' | 'not-begun'
  readonly reason?: string | undefined
  /** It waits for a person there. */
  readonly gate?: string | undefined
  readonly costs?: readonly CodonCosts[] | undefined
}

export type ToTurn =
  | { readonly type: 'job'; readonly job: TurnJob }
  | { readonly type: 'word'; readonly id: number; readonly word: TurnWord }
  /** The worker may act for so long. */
  | { readonly type: 'fresh'; readonly milliseconds: number }

export type FromTurn =
  | { readonly type: 'ready' }
  | { readonly type: 'hand-over'; readonly id: number; readonly step: TurnStep }
  | { readonly type: 'ended'; readonly end: TurnEnd }
