import type {
  CheckpointType,
  CodonStatus,
  EventData,
  FileNode,
  ProcessExit,
  RunState,
  TokenCounts,
} from '@weave/protocol'
import type { Harness, HarnessSurroundings } from '../harness/index.ts'
import type { PlannedCodonAt, PlannedModel } from '../plan/index.ts'
import type { CodonPrompt } from './codon-prompt.ts'

/**
 * What the runner needs from the rooms around it, by what it is for; `execution` hands it in. None of these functions
 * throws or rejects for something that can go wrong outside: that comes back as a value. All of them end soon after
 * `signal` aborts.
 */
export interface Effects {
  readonly agent: AgentEffects
  readonly codon: CodonEffects
  readonly sentinels: SentinelEffects
  readonly checkpoints: CheckpointEffects
  readonly rollback: RollbackEffects
  readonly files: FileEffects
}

/** The agent of a codon: which program it is, where it works, what it is asked, what it costs. */
export interface AgentEffects {
  harnessFor(model: PlannedModel): Harness
  /** Where the agent of a codon works; its environment is also that of the rig commands. */
  surroundingsOf(at: PlannedCodonAt): HarnessSurroundings
  /** Where the raw messages of the agent go. */
  sessionLog(at: PlannedCodonAt): SessionLog
  /** What one message cost; undefined when the price of the model is not known. `modelId`: as the provider named it. */
  costOf(model: PlannedModel, tokens: TokenCounts, modelId: string | undefined): number | undefined
  promptOf(at: PlannedCodonAt): Promise<CodonPrompt>
}

/** What a codon does to files before and after its agent. */
export interface CodonEffects {
  runRig(at: PlannedCodonAt, surroundings: Surroundings): Promise<RigResult>
  copyOutputs(
    at: PlannedCodonAt,
    surroundings: Surroundings & { readonly lastCopied?: string | undefined },
  ): Promise<EffectResult>
  /** Moves what `patterns` select into the archive of its owner, a runtime id or a loop id. */
  archive(owner: string, patterns: readonly string[], at: PlannedCodonAt): Promise<EffectResult>
  /** The end of the codon is on record: its outputs stay, or are taken back if it did not complete. Never rejects. */
  afterCodon(at: PlannedCodonAt, completed: boolean): Promise<void>
}

/** The observers of a codon. */
export interface SentinelEffects {
  /** Lets the sentinels of a codon listen. */
  loadSentinels(at: PlannedCodonAt, watch: SentinelWatch): Promise<LoadedSentinels>
}

/** The versions of the workspace. */
export interface CheckpointEffects {
  /** Keeps the files that no codon before this one selected as they are when it begins. Rejects when that cannot be done. */
  beforeCodon(at: PlannedCodonAt): Promise<void>
  /**
   * Versions the workspace; undefined when nothing keeps versions. Durable when it resolves. At the end of a codon the
   * files themselves are durable too, and what changed was emitted: one scan is both emitted and stored.
   */
  checkpoint(type: CheckpointType, at: PlannedCodonAt, status: CodonStatus): Promise<string | undefined>
  /** The version of the workspace that the first run begins with; undefined when nothing keeps versions. */
  firstCheckpoint(): string | undefined
  checkpointTimes(shas: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** What brings the workspace back to a version, and what keeps that safe. */
export interface RollbackEffects {
  /** Puts the selected files of the workspace back to a version. Idempotent: what was cut off is finished by calling again. */
  restore(sha: string): Promise<EffectResult>
  /** Keeps the workspace as it is now, outside of all branches. */
  safetyCheckpoint(): Promise<{ readonly ok: true; readonly sha: string } | Failure>
  /** Puts back what the ends of these codons had archived. */
  restoreArchives(codons: readonly CodonPlace[]): Promise<EffectResult>
  /** Archives what the undo of a rollback wants back in the archive. Idempotent. */
  archiveAgain(archives: readonly ArchivedFiles[], undone: readonly CodonPlace[]): Promise<EffectResult>
  /** What the copies of a codon's rig made, as recorded when it ran, as far as it is there and not in a version. */
  rigLeftovers(codonId: string, sha: string): Promise<readonly string[]>
  /** Takes that out of the workspace without destroying it. */
  cleanRig(codonId: string, paths: readonly string[]): Promise<RigCleanup>
  /** Copies again what the rig of a codon had copied and is missing; answers with the paths. */
  putBackRig(codonId: string): Promise<readonly string[]>
  /** Everything in the workspace, and what was taken out of it, is on the disk: a power cut takes nothing of it. */
  syncFiles(): Promise<{ readonly ok: true } | Failure>
  readonly rollbackIntent: RollbackIntentFile
}

/** The files as clients see them: changes as events, and the tree. */
export interface FileEffects {
  /** Also watches what the codons up to the present one checkpoint. */
  watch(patterns: readonly string[]): Promise<void>
  /** Resolves when all changes of files until now are emitted. */
  settleFiles(): Promise<void>
  /** A tool of the agent was at work: files may have changed. */
  hintFiles(): void
  fileTree(): Promise<readonly FileNode[]>
}

export interface SentinelWatch {
  /** Of the codon. */
  readonly startTime: string
  /** What the sentinels of this codon have cost in all; `isKnown`: in full. */
  readonly onSpent: (dollars: number, isKnown: boolean) => void
}

export type LoadedSentinels =
  | {
      readonly ok: true
      /** Lets them work off what is pending, unless the server goes down. Never rejects. */
      finish(ending: SentinelEnding): Promise<void>
    }
  | { readonly ok: false; readonly message: string; readonly sentinelRefs: readonly string[] }

export type SentinelEnding =
  | { readonly reason: 'codon-complete'; readonly completed: EventData<'codon.completed'> }
  | { readonly reason: 'shutdown' }

export interface SessionLog {
  /** Never throws; a write that fails is emitted once, as a warning. */
  write(message: unknown): void
  close(): Promise<void>
}

export interface Surroundings {
  readonly signal: AbortSignal
  readonly env: Readonly<Record<string, string>>
  readonly onOutput: (operation: number, stream: 'stdout' | 'stderr', text: string) => void
}

export type RigResult =
  | { readonly ok: true; readonly lastCopied?: string }
  | { readonly ok: false; readonly message: string; readonly exit?: ProcessExit; readonly retriable: boolean }

export type EffectResult = { readonly ok: true; readonly files: readonly string[] } | Failure

export interface Failure {
  readonly ok: false
  readonly message: string
}

/** One codon of one run. */
export interface CodonPlace {
  readonly runId: string
  readonly codonId: string
}

export interface RigCleanup {
  /** Where everything lies now, under its old path. */
  readonly movedTo: string
  readonly failures: readonly { readonly directory: string; readonly error: string }[]
}

/** What the end of a codon had archived. */
export interface ArchivedFiles extends CodonPlace {
  /** The runtime id of a codon, or the id of a loop. */
  readonly owner: string
  /** Paths in the workspace. */
  readonly files: readonly string[]
}

/** What a rollback will do, on disk before it does anything to a file, gone when its run is open. */
export interface RollbackIntent {
  readonly sha: string
  readonly startedFrom: RunState['startedFrom']
  readonly undone: readonly CodonPlace[]
  /** The codon that begins again after its rig. */
  readonly rigKept?: string | undefined
  /** What goes into the archive again. */
  readonly archives: readonly ArchivedFiles[]
}

export interface RollbackIntentFile {
  /** Throws when the disk refuses. */
  write(intent: RollbackIntent): void
  clear(): void
}
