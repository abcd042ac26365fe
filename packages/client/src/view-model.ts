import {
  type BudgetBreach,
  type CheckpointType,
  type CodonExecution,
  type CopiedOutputs,
  type EventData,
  emptyState,
  type FileNode,
  type WeaveState,
} from '@weave/protocol'
import type { ClientStatus } from './reconnecting-connection.ts'
import { emptyRing, type Ring } from './ring.ts'
import type { GateView } from './view-gates.ts'

/** How much a view keeps, so that it stays small however long a run is. */
export const viewCaps = {
  stream: 2_000,
  /** Characters of one stream entry. */
  streamText: 4_000,
  /** Codon records that no transition touches any more. */
  codons: 2_000,
  /** Codon records of the current run that `reduce` works on; a few more for a while. */
  recentCodons: 64,
  runs: 100,
  files: 200,
  checkpoints: 500,
  outputs: 500,
  /** Names of one copy of outputs. */
  outputFiles: 50,
  sentinels: 100,
  breaches: 100,
  loops: 1_000,
  limits: 500,
} as const

/**
 * The one picture of an execution that every face draws. Made by `reduceView` and nothing else, never changed.
 * `stream` texts are harmless; every other text is as it came and goes through `harmless` before it is shown.
 */
export interface View {
  readonly connection: ClientStatus
  /** Undefined until a server has said hello. */
  readonly server: EventData<'server.ready'> | undefined
  readonly rehearsal: boolean
  readonly lastSeq: number
  readonly eventCount: number

  readonly machine: Machine
  readonly plan: Plan | undefined
  readonly loops: Readonly<Record<string, LoopProgress>>
  readonly totals: Totals
  /** What filled the context window at the last message. */
  readonly context: ContextUse | undefined

  readonly idle: EventData<'server.idle'> | undefined
  readonly waiting: Waiting | undefined
  /** What takes long right now. */
  readonly activity: EventData<'run.activity'> | undefined
  readonly rollback: RollbackProgress | undefined
  readonly summary: EventData<'run.completed'> | undefined

  readonly stream: Ring<StreamEntry>
  /** Each path once, changed last at the end. */
  readonly files: readonly FileChange[]
  readonly fileTree: readonly FileNode[]
  readonly checkpoints: readonly Checkpoint[]
  readonly outputs: readonly OutputCopy[]
  /** The last reply to `checkpoint.list`. */
  readonly checkpointList: EventData<'checkpoint.list'> | undefined
  readonly sentinels: readonly SentinelView[]
  /** What may be spent, as the plan of this execution said when it began. */
  readonly limits: readonly Limit[]
  readonly prompts: PromptFiles
  readonly breaches: readonly Breach[]
  /** Where the run waited for a person, or waits; the newest at the end. */
  readonly gates: readonly GateView[]
  readonly errorCount: number
}

/** The state as the protocol's own `reduce` makes it, kept short. */
export interface Machine {
  /** Older runs without their codons; the last with its newest ones. */
  readonly state: WeaveState
  /** Codons before those: taken over from the run that the current one goes on from, or ended long ago. */
  readonly settled: readonly CodonExecution[]
  /** What counted for each earlier run, by run id: a rollback or an undo may go on from any of them. */
  readonly lineages: Readonly<Record<string, readonly CodonExecution[]>>
  /** False for a client that came late: what it has is the last snapshot and the transitions since. */
  readonly complete: boolean
}

export type Plan = Pick<EventData<'run.started'>, 'runId' | 'hankName' | 'outline'>
export type PlanItem = Plan['outline'][number]

export interface LoopProgress {
  /** Iterations done. */
  readonly completed: number
  readonly cost: number
  readonly durationMs: number
  /** The iteration that was said to be the last. */
  readonly last?: number
}

export interface Totals {
  /** All runs. */
  readonly cost: number
  readonly runCost: number
  /** As the last snapshot said. */
  readonly timeMs: number
}

export interface ContextUse {
  readonly codonId: string
  readonly tokens: number
  readonly modelId?: string
}

export type Waiting =
  | {
      readonly kind: 'retry'
      readonly codonId: string
      readonly until: string
      readonly attempt: number
      readonly maxAttempts: number
      readonly reason: string
    }
  | { readonly kind: 'parked'; readonly codonId: string; readonly until: string; readonly reason: string }

/** A rollback under way. A client that came late knows only that there is one. */
export interface RollbackProgress {
  readonly toCodon?: string
  readonly checkpoint?: string
  readonly step: number
  /** 0: not known yet. */
  readonly totalSteps: number
  readonly message: string
}

export type StreamKind =
  | 'thinking'
  | 'message'
  | 'tool'
  | 'result'
  | 'sentinel'
  | 'rig'
  | 'info'
  | 'error'
  | 'run'
  | 'codon'
  | 'wait'
  | 'rollback'
  | 'budget'

export interface StreamEntry {
  readonly kind: StreamKind
  /** Unique in a stream. */
  readonly id: string
  readonly time: string
  readonly text: string
  /** The text was longer. */
  readonly cut: boolean
  /** The same without what it cost, for faces that hide costs; absent where `text` names none. */
  readonly withoutCosts?: string
  readonly codonId?: string
  /** The tool or sentinel that it came from. */
  readonly source?: string
  readonly failed?: boolean
}

export interface FileChange {
  readonly path: string
  readonly action: 'created' | 'modified' | 'deleted'
  readonly time: string
  /** How often this path changed while it was in the list. */
  readonly changes: number
}

/** Output files that a codon copied. */
export interface OutputCopy extends CopiedOutputs {
  readonly directory: string
  /** Relative to the directory; the first of them. */
  readonly files: readonly string[]
  readonly count: number
}

export interface Checkpoint {
  readonly sha: string
  readonly type: CheckpointType | 'initial'
  readonly runId: string | undefined
  readonly codonId: string | undefined
  readonly time: string
}

export interface SentinelView {
  readonly sentinelId: string
  readonly codonId: string
  readonly model: string
  readonly loaded: boolean
  readonly outputs: number
  readonly errors: number
  readonly cost: number
  readonly unloadReason?: EventData<'sentinel.unloaded'>['reason']
}

export interface Breach extends BudgetBreach {
  readonly codonId?: string | undefined
  readonly onExceeded: 'complete' | 'fail'
  readonly time: string
}

/** Where the prompts of codons are, for who wants to mend one. */
export interface PromptFiles {
  /** Paths are relative to it. */
  readonly directory: string
  /** By the id of the codon in the hank; a codon whose prompt is in the hank itself is not here. */
  readonly files: Readonly<Record<string, readonly string[]>>
}

/** One limit of the plan: whose it is, and how much of what. */
export interface Limit {
  readonly scope: LimitScope
  readonly currency: BudgetBreach['currency']
  readonly limit: number
}

/** `run` has the name of the setting that the limit came from, or `hank`. */
export type LimitScope =
  | { readonly kind: 'run'; readonly origin: string }
  | { readonly kind: 'loop'; readonly loopId: string }
  | { readonly kind: 'codon'; readonly codonId: string }

export const emptyView: View = {
  connection: { state: 'connecting' },
  server: undefined,
  rehearsal: false,
  lastSeq: 0,
  eventCount: 0,
  machine: { state: emptyState, settled: [], lineages: {}, complete: true },
  plan: undefined,
  loops: {},
  totals: { cost: 0, runCost: 0, timeMs: 0 },
  context: undefined,
  idle: undefined,
  waiting: undefined,
  activity: undefined,
  rollback: undefined,
  summary: undefined,
  stream: emptyRing,
  files: [],
  fileTree: [],
  checkpoints: [],
  outputs: [],
  checkpointList: undefined,
  sentinels: [],
  limits: [],
  prompts: { directory: '', files: {} },
  breaches: [],
  gates: [],
  errorCount: 0,
}
