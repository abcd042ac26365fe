import type { RunStatus } from './state.ts'
import type { CodonStatus } from './values.ts'

/**
 * What stands in a report page beside its script: everything but the list of events, which comes after the script so that
 * the page is on the screen before it has been read. `weave report` writes both, `packages/web` reads them.
 */
export interface ReportData {
  readonly weaveVersion: string
  /** ISO times, all of them. */
  readonly madeAt: string
  readonly hank: { readonly name: string; readonly path: string; readonly data?: string }
  readonly execution: {
    readonly dir: string
    readonly isRehearsal: boolean
    /** A server was at work in it when the report was made. */
    readonly isLive: boolean
  }
  readonly status: RunStatus | 'new'
  readonly reason?: string
  readonly totals: ReportTotals
  readonly runs: readonly ReportRun[]
  readonly spending: readonly SpendingPoint[]
  readonly costs: readonly ReportCost[]
  readonly budgets: readonly ReportBudget[]
  readonly checkpoints: Bounded<ReportCheckpoint>
  readonly outputs: Bounded<ReportOutputs>
  readonly sentinels: Bounded<SentinelOutput>
  readonly errors: Bounded<ReportError>
  readonly settings: readonly ReportSetting[]
  /** What a reader should know about the report itself. */
  readonly notes: readonly string[]
}

/** The newest of what there was. */
export interface Bounded<Item> {
  readonly items: readonly Item[]
  readonly leftOut: number
}

export interface ReportTotals {
  readonly cost: number
  readonly isCostUnknown: boolean
  readonly sentinelCost: number
  readonly durationMs: number
  readonly tokens: TokenClasses
  readonly codonsDone: number
  readonly attempts: number
}

export interface TokenClasses {
  readonly input: number
  readonly cacheWrite: number
  readonly cacheRead: number
  readonly output: number
}

export interface ReportRun {
  readonly runId: string
  readonly status: RunStatus
  readonly startTime: string
  readonly durationMs: number
  readonly cost: number
  readonly origin: 'fresh' | 'resumed' | 'rolled-back'
  /** The codon after which it goes on. */
  readonly after?: string
  readonly reason?: string
  readonly attempts: readonly ReportAttempt[]
}

export interface ReportAttempt {
  readonly codonId: string
  readonly codonName: string
  readonly attempt: number
  readonly status: CodonStatus
  readonly model: string
  readonly loop?: { readonly id: string; readonly iteration: number }
  /** Since the run began. */
  readonly fromMs: number
  readonly durationMs: number
  readonly cost: number
  readonly isCostUnknown: boolean
  readonly tokens: TokenClasses
  readonly reason?: string
  /** A rollback took it back. */
  readonly isUndone: boolean
}

/** Time in which runs went on, dollars and tokens until then, and the run. */
export type SpendingPoint = readonly [ms: number, dollars: number, tokens: number, run: number]

export interface ReportCost {
  /** A runtime id, or that of a sentinel. */
  readonly name: string
  readonly kind: 'codon' | 'sentinel'
  readonly detail: string
  readonly attempts: number
  readonly tokens: TokenClasses
  readonly cost: number
  readonly isCostUnknown: boolean
}

export interface ReportBudget {
  readonly name: string
  readonly currency: string
  readonly limit: number
  readonly used: number
  /** Whose limit it is. */
  readonly source: string
}

export interface ReportCheckpoint {
  readonly sha: string
  /** A runtime id, or what else it is a version of: `the beginning`, `before the rollback`, `before the repair`. */
  readonly name: string
  /** Empty for the beginning. */
  readonly codonId: string
  readonly type: string
  readonly timestamp: string
  readonly run: number
  readonly isUndone: boolean
  readonly files: readonly ReportFile[]
  /** More files are different than are listed. */
  readonly filesLeftOut: number
  /** Why there is no list. */
  readonly note?: string
}

export interface ReportFile {
  readonly path: string
  readonly status: string
  readonly additions?: number
  readonly deletions?: number
  /** A unified diff without its head. */
  readonly diff?: string
  /** Why the diff is not there, or not whole. */
  readonly note?: string
}

/** What one codon copied to the output directory. */
export interface ReportOutputs {
  readonly codonId: string
  readonly run: number
  readonly time: string
  readonly directory: string
  /** Relative to the directory. */
  readonly files: readonly string[]
  /** More files than are listed. */
  readonly filesLeftOut: number
  /** A rollback took the codon back; what it copied stays. */
  readonly isUndone: boolean
}

export interface SentinelOutput {
  readonly sentinelId: string
  readonly codonId: string
  readonly time: string
  readonly text: string
  readonly cost: number
}

export interface ReportError {
  readonly time: string
  readonly kind: string
  readonly codonId?: string
  readonly message: string
}

export interface ReportSetting {
  readonly field: string
  readonly value: string
  readonly origin: string
}

/** Events by column, oldest first: a hundred thousand objects would be many times the size. */
export interface ReportEvents {
  /** Older events that are not here. */
  readonly leftOut: number
  readonly types: readonly string[]
  readonly codons: readonly string[]
  /** Of the first event, in milliseconds since 1970. */
  readonly startMs: number
  readonly seq: readonly number[]
  /** Milliseconds since `startMs`. */
  readonly at: readonly number[]
  /** An index into `types`. */
  readonly type: readonly number[]
  /** An index into `codons`, or -1. */
  readonly codon: readonly number[]
  readonly line: readonly string[]
  /** The `seq` of those in which an agent used a tool. */
  readonly tools: readonly number[]
  /** By `seq`: the text of those whose line does not say all. */
  readonly more: Readonly<Record<string, string>>
}
