import type { FailureReason, ProcessExit, TokenCounts } from '@weave/protocol'

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
      /** As far as they were told. */
      readonly tokens: TokenCounts
      /** The provider did not tell them all, or told what cannot be: what the message cost is not known. */
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
