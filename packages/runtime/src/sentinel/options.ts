import type { EventData, SentinelState } from '@weave/protocol'
import type { AttachedSentinel } from '../hank/index.ts'
import type { Clock, Redactor, Result } from '../kit/index.ts'
import type { Completion, CompletionRequest } from '../llm/index.ts'
import type { ResolvedModel } from '../models/index.ts'
import type { SentinelEventType } from './events.ts'
import type { SandboxEntry } from './sandbox.ts'

export interface SentinelSettings {
  readonly enablePersistence: boolean
  readonly healthCheckGracePeriodMs: number
  readonly waitForAllHealthChecks: boolean
}

/** What the sentinels of an execution are given. */
export interface SentinelsOptions {
  /** Of the whole hank. */
  readonly attachments: readonly AttachedSentinel[]
  /** Where the files of the hank are read, absolute. */
  readonly hankDir: string
  readonly settings: SentinelSettings
  readonly places: SentinelPlaces
  /** Undefined for a name that nobody knows. */
  readonly modelOf: (name: string) => ResolvedModel | undefined
  readonly accessTo: (model: ResolvedModel, sentinelId: string) => Access
  readonly call: (request: CompletionRequest) => Promise<Completion>
  readonly clock: Clock
  readonly redactor: Redactor
  readonly sandboxEntry: SandboxEntry
  /** Journals an event. What this and the next two throw is passed over: a journal that refuses stops the run by itself. */
  readonly append: <T extends SentinelEventType>(type: T, data: EventData<T>) => void
  /** Records the sentinels of a codon, all of them. */
  readonly record: (codonId: string, states: readonly SentinelState[]) => void
  /** A warning for people. */
  readonly warn: (message: string) => void
}

/** Where a model is reached, and with which key. */
export type Access = Result<{ readonly key: string; readonly api: string }>

/** Where sentinels write. */
export interface SentinelPlaces {
  readonly agentRoot: string
  /** Of the sentinel's own files, absolute. */
  directoryOf(sentinelId: string): string
  /** Called before an output is written; throws when the execution is no longer ours to write to. */
  assertHeld?(): void
}
