import type { FailureReason, ProcessExit, TokenCounts } from '@weave/protocol'
import type { Marker } from '../kit/index.ts'

/** Where an agent works and by what its processes are known. */
export interface HarnessSurroundings {
  /** Runtime id of the codon. */
  readonly codonId: string
  /** The id by which the provider knows the model. */
  readonly model: string
  readonly provider: string
  /** The agent workspace; the agent's working directory. */
  readonly cwd: string
  /** The whole environment of the agent, the marker included; nothing is added from ours but what the SDK itself needs. */
  readonly env: Readonly<Record<string, string>>
  /** What the agent's processes carry in their environment, to be found when they ran away. */
  readonly marker: Marker
  /** A directory of the execution for what the SDK keeps: sessions, totals. Out of the agent's sight, kept over restarts. */
  readonly home: string
  readonly autoCompact: boolean
}

/** One task for one agent. */
export interface HarnessSpec extends HarnessSurroundings {
  readonly prompt: string
  readonly systemPrompt?: string | undefined
  /** The session to go on from, without changing it. */
  readonly previousSessionId?: string | undefined
  /** Every message of the SDK as it came, for the session log. Must not throw. */
  readonly onRaw: (message: unknown) => void
  /**
   * Asked after every turn that went well: the prompt of one more turn in the same session, or undefined to end. Never
   * asked after an abort.
   */
  readonly nextPrompt: () => string | undefined
}

/**
 * A way to run an agent. One interface for every SDK.
 *
 * `start` never throws and its iteration never rejects: what goes wrong arrives as the `ended` event. `session` comes
 * before any other event, unless the session could not be opened; `ended` comes exactly once and last, also after an
 * abort. When the iteration is over, no process of the agent is left. Aborting `signal` stops the agent as gently as it
 * allows; events of turns that were finished by then are still reported.
 */
export interface Harness {
  /**
   * Gets ready for a codon while its rig is at work. Returns at once and never throws; the next `start` for that codon uses
   * what was made ready, another one ends it.
   */
  prepare?(surroundings: HarnessSurroundings): void
  start(spec: HarnessSpec, signal: AbortSignal): AsyncIterable<HarnessEvent>
  /** Ends what was made ready and not used. Never rejects. */
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
      /** Usage is counted once per message: a later report for the same id replaces the earlier one. */
      readonly messageId: string
      /** The message is still being written: counts for budgets, and a later report says what it came to. */
      readonly isPartial?: true
      /** As far as the provider reported them. */
      readonly tokens: TokenCounts
      /** The provider did not report them all, or reported what cannot be: what the message cost is not known. */
      readonly isUnknown?: true | undefined
      /** What the harness itself says it cost; undefined: to be priced by tokens. */
      readonly dollars?: number
      readonly modelId?: string
    }
  /** A sign of life without news, for example while a tool is at work. */
  | { readonly type: 'alive' }
  /** The harness waits before it asks the provider again. */
  | { readonly type: 'waiting'; readonly delayMs: number; readonly reason: string }
  /** The session was made shorter to fit (`autoCompact`). */
  | { readonly type: 'compacted' }
  | { readonly type: 'context-full' }
  | { readonly type: 'ended'; readonly end: HarnessEnd }

export type HarnessEnd =
  | {
      readonly ok: true
      /** What the harness says the task cost in all; replaces the running sum. Absent: the sum stands. */
      readonly totalDollars?: number
    }
  | {
      readonly ok: false
      readonly totalDollars?: number
      readonly exit: ProcessExit
      readonly reason: FailureReason
      readonly retryAfterMs?: number
    }
