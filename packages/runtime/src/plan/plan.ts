import type { AttachedSentinel, CodonBudget, OutputFiles, RigOperation, SharedBudget } from '../hank/index.ts'
import type { Dialect, Prices, ThinkingLevel } from '../models/index.ts'

/**
 * What will run, with everything decided that can be decided before the first token. Plain data: it is written into the
 * journal when an execution begins, and a resumed execution goes on with it.
 */
export interface Plan {
  readonly hankName: string
  /** Absolute. */
  readonly hankDir: string
  readonly globalSystemPrompt?: PlannedText
  readonly items: readonly PlannedItem[]
  /** Of all codons; absent when there are none. */
  readonly sentinels?: readonly AttachedSentinel[]
  /** Of the whole hank, from its `overrides`. */
  readonly budget?: SharedBudget
  /** Limits of the whole run that are not the hank's own; absent when there are none. */
  readonly ceilings?: PlannedCeilings
  /** Where the run waits for a person; absent: nowhere. */
  readonly gates?: readonly PlannedGate[]
  /** MCP servers of the operator whose tools agents get; absent: none. For people to see: a run has those of its `weave.json`. */
  readonly mcpServers?: readonly PlannedServer[]
  /** What a program must know to run this plan; absent: nothing but the contract. */
  readonly needs?: readonly string[]
}

/** As it is written, so without the values of variables; those of `env` and `headers` are not here at all. */
export interface PlannedServer {
  readonly name: string
  readonly command?: readonly string[]
  readonly url?: string
  /** Absent: all. */
  readonly codons?: readonly string[]
  readonly tools?: readonly string[]
}

export interface PlannedGate {
  readonly id: string
  /** A codon in every iteration, a runtime id, or a loop; one of the two is there. */
  readonly before?: string
  readonly after?: string
  readonly message?: string
  /** Patterns of the files to look at. */
  readonly show?: readonly string[]
  readonly timeoutSeconds?: number
  /** After a rejection; absent: the run stops. */
  readonly redo?: { readonly from: string; readonly times: number }
  /** In the agent workspace. */
  readonly noteFile?: string
}

export interface PlannedCeilings {
  readonly maxDollars?: PlannedCeiling
  readonly maxTimeSeconds?: PlannedCeiling
}

export interface PlannedCeiling {
  readonly value: number
  /** Who says so, as a person would look for it: `--max-cost`, `weave.json`. */
  readonly origin: string
}

export type PlannedItem = PlannedCodon | PlannedLoop

export interface PlannedCodon {
  readonly kind: 'codon'
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly model: PlannedModel
  readonly continuation: 'fresh' | 'continue-previous'
  readonly prompt: PlannedText
  readonly appendSystemPrompt?: PlannedText
  readonly exhaustWithPrompt?: string
  readonly maxExtensions: number
  readonly autoCompact: boolean
  /** Longest silence of the agent. */
  readonly idleTimeoutMs: number
  readonly rig: readonly RigOperation[]
  readonly checkpointedFiles: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly outputFiles: readonly OutputFiles[]
  readonly archiveOnSuccess: readonly string[]
  readonly onFailure: 'abort' | 'retry' | 'ignore'
  readonly retry: RetryRules
  readonly budget?: CodonBudget
}

export interface PlannedLoop {
  readonly kind: 'loop'
  readonly id: string
  readonly name: string
  readonly description?: string
  /** Null: until the context is full. */
  readonly limit: number | null
  readonly codons: readonly PlannedCodon[]
  readonly archiveOnSuccess: readonly string[]
  readonly budget?: SharedBudget
}

export interface PlannedModel {
  readonly id: string
  readonly provider: string
  readonly harness: 'sdk' | 'embedded' | 'acp'
  /** Of the harness `acp`: which agent. */
  readonly agent?: string
  /** `harness:provider/id`. */
  readonly identity: string
  /** Tokens; absent: not known. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  /** How the embedded SDK speaks to it, where its provider does not say that already. */
  readonly dialect?: Dialect
  readonly reasoning?: boolean
  readonly compat?: Readonly<Record<string, unknown>>
  /** Absent: as its agent has it by default. */
  readonly thinking?: ThinkingLevel
  /** As they were when the execution began; absent: not known, which is not the same as free. */
  readonly prices?: Prices
}

export interface RetryRules {
  readonly maxAttempts: number
  readonly delayMs: number
  readonly maxDelayMs: number
}

/** Files are read anew when the codon starts; the plan keeps their places, relative to the hank directory. */
export type PlannedText = { readonly files: readonly string[] } | { readonly text: string }
