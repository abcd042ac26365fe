import type { Moment } from '@weave/runtime'
import type { LeftBehind } from '../parcel/index.ts'

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
    /** What earlier turns may have spent without a record. */
    readonly lostDollars?: number | undefined
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
  /** Until then it may act. */
  readonly until: Moment
  /** How long its agents may stand still while it may not. */
  readonly freezeMs: number
  /** What a person said at the gate where it waits. */
  readonly answer?: GateAnswer | undefined
}

export interface GateAnswer {
  readonly gate: string
  readonly decision: 'approve' | 'reject'
  readonly note?: string | undefined
}

/** At a border between codons. */
export interface TurnStep {
  readonly codonId: string
  readonly attempt: number
  readonly costs: readonly CodonCosts[]
  readonly provider: string
  readonly model: string
  /** Its attempt ended without success: another may follow. */
  readonly hasFailed?: boolean | undefined
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
  /** Folders of the workspace that are not in it and were in the one before, or nobody was told of. */
  readonly left?: readonly LeftBehind[] | undefined
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

/** A request to a provider on its way out of the turn. */
export interface RequestFacts {
  readonly provider: string
  /** `answer`: a model is to answer. `free`: it costs nothing. `other`: nobody knows what it costs. */
  readonly kind: 'answer' | 'free' | 'other'
  readonly model?: string | undefined
  /** The most it can cost, in tokens and in millionths of a dollar; absent: that is not known. */
  readonly most?: { readonly tokens: number; readonly micros: number } | undefined
}

export type RequestWord =
  | { readonly kind: 'forward' }
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly message: string
      readonly retryAfterMs?: number | undefined
    }

/** What became of it. */
export interface RequestOutcome {
  /** In millionths of a dollar; absent: as much as it could at most. */
  readonly micros?: number | undefined
  /** Absent: as many as it could at most. */
  readonly tokens?: number | undefined
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
}

export type ToTurn =
  | { readonly type: 'job'; readonly job: TurnJob }
  | { readonly type: 'word'; readonly id: number; readonly word: TurnWord }
  | { readonly type: 'request-word'; readonly id: number; readonly word: RequestWord }
  /** End the run now, in good order. */
  | { readonly type: 'stop'; readonly reason: string }
  /** It may act until then. */
  | { readonly type: 'fresh'; readonly until: Moment }
  /** What a codon waits for. */
  | { readonly type: 'waiting'; readonly for: 'budget' | 'provider' }

export type FromTurn =
  | { readonly type: 'ready' }
  | { readonly type: 'hand-over'; readonly id: number; readonly step: TurnStep }
  /** Whether the codon may begin. */
  | { readonly type: 'admission'; readonly id: number; readonly step: TurnStep }
  | { readonly type: 'request'; readonly id: number; readonly facts: RequestFacts }
  /** Nobody waits for the answer to this any more. */
  | { readonly type: 'forget'; readonly id: number }
  /** Of the request of that number. */
  | { readonly type: 'answered'; readonly id: number; readonly outcome: RequestOutcome }
  | { readonly type: 'ended'; readonly end: TurnEnd }
