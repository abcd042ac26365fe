import type { FailureReason, ProcessExit, TokenCounts } from '@weave/protocol'
import type { Marker } from '../kit/index.ts'
import type { ThinkingLevel } from '../models/index.ts'
import type { AgentServer } from './agent-server.ts'

/** Which of its tools an agent gets, by the agent's own names. */
export interface ToolChoice {
  /** Undefined: all that it has. */
  readonly allow?: readonly string[] | undefined
  readonly deny: readonly string[]
}

export interface HarnessSurroundings {
  readonly codonId: string
  /** The id by which the provider knows the model. */
  readonly model: string
  readonly provider: string
  readonly cwd: string
  /** The whole of it, the marker included; nothing is added from ours but what the SDK itself needs. */
  readonly env: Readonly<Record<string, string>>
  /** By which the agent's processes are found when they ran away. */
  readonly marker: Marker
  /** For what the SDK keeps. Out of the agent's sight, kept over restarts. */
  readonly home: string
  readonly autoCompact: boolean
  /** Absent: as the agent has it by default. */
  readonly thinking?: ThinkingLevel | undefined
  /** Whose tools the agent gets besides its own. */
  readonly servers?: readonly AgentServer[] | undefined
}

/** One task for one agent. */
export interface HarnessSpec extends HarnessSurroundings {
  readonly prompt: string
  readonly systemPrompt?: string | undefined
  /** The session to go on from, without changing it. */
  readonly previousSessionId?: string | undefined
  /** Every message of the SDK as it came, for the session log. Must not throw. */
  readonly onRaw: (message: unknown) => void
  /** The prompt of one more turn in the same session, or undefined to end. Never asked after an abort. */
  readonly nextPrompt: () => string | undefined
}

/**
 * A way to run an agent. What goes wrong arrives as the `ended` event, which comes exactly once and last, also after an
 * abort; `session` comes first, unless the session could not be opened. When the iteration is over, no process of the agent
 * is left. Aborting stops the agent as gently as it allows; events of turns that were finished by then are still reported.
 */
export interface Harness {
  /**
   * While the codon before it ends, or its rig is at work. The next `start` for that codon uses what was made, another one
   * ends it; a second call for the same changes nothing. Never throws.
   */
  prepare?(surroundings: HarnessSurroundings): void
  start(spec: HarnessSpec, signal: AbortSignal): AsyncIterable<HarnessEvent>
  /** Never rejects. */
  close?(): Promise<void>
}

/** What an agent reports while it works, in words that all harnesses share. */
export type HarnessEvent =
  | { readonly type: 'session'; readonly sessionId: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly name: string
      readonly output: string
      readonly isError: boolean
      readonly durationMs: number
    }
  | {
      readonly type: 'usage'
      /** A later report for the same id replaces the earlier one. */
      readonly messageId: string
      /** Still being written: counts for budgets, and a later report says what it came to. */
      readonly isPartial?: true
      readonly tokens: TokenCounts
      /** Not all was reported, or what cannot be: what the message cost is not known. */
      readonly isUnknown?: true | undefined
      /** Undefined: to be priced by tokens. */
      readonly dollars?: number
      readonly modelId?: string
    }
  /** A sign of life without news, for example while a tool is at work. */
  | { readonly type: 'alive' }
  /** The harness waits before it asks the provider again. */
  | { readonly type: 'waiting'; readonly delayMs: number; readonly reason: string }
  | { readonly type: 'compacted' }
  | { readonly type: 'context-full' }
  | { readonly type: 'ended'; readonly end: HarnessEnd }

/** `totalDollars`: for the task in all; replaces the running sum. */
export type HarnessEnd =
  | { readonly ok: true; readonly totalDollars?: number }
  | {
      readonly ok: false
      readonly totalDollars?: number
      readonly exit: ProcessExit
      readonly reason: FailureReason
      readonly retryAfterMs?: number
    }
