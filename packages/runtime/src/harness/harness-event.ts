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
      readonly tokens: TokenCounts
      /** Undefined: the price is not known. */
      readonly dollars?: number
      readonly modelId?: string
    }
  | { readonly type: 'context-full' }
  | { readonly type: 'ended'; readonly end: HarnessEnd }

export type HarnessEnd =
  | { readonly ok: true; readonly totalDollars?: number }
  | {
      readonly ok: false
      readonly exit: ProcessExit
      readonly reason: FailureReason
      readonly retryAfterMs?: number
    }
