import type { TokenCounts } from '@weave/protocol'
import type { HarnessEvent } from '../harness.ts'

/** What a message of the SDK says, as far as anyone here wants to know. */
export type SdkMessage =
  /** Blocks of one answer of the model; an answer comes in several such messages with one id. `thread`: see below. */
  | ({ readonly kind: 'answer'; readonly thread: string; readonly blocks: readonly Block[] } & Answer)
  /** Written by the agent program instead of the model, to say what went wrong. */
  | { readonly kind: 'notice'; readonly error: string | undefined }
  /** The beginning of an answer that is being written. `thread`: the tool call that a subagent works for. */
  | ({ readonly kind: 'answer-began'; readonly thread: string } & Answer)
  | AnswerGrowth
  | { readonly kind: 'tool-results'; readonly results: readonly ToolOutput[] }
  /** `status`: absent when the provider did not answer at all. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly status: number | undefined }
  | { readonly kind: 'compacted' }
  | { readonly kind: 'result'; readonly result: SdkResult }
  /** Known, and no news. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'unknown'; readonly name: string }

export type Block = Extract<HarnessEvent, { readonly type: 'text' | 'thinking' | 'tool-call' }>

export type ToolOutput = Pick<
  Extract<HarnessEvent, { readonly type: 'tool-result' }>,
  'id' | 'output' | 'isError'
>

export interface Answer {
  readonly messageId: string
  readonly modelId: string | undefined
  readonly usage: PartialUsage
}

/** Of the answer that began last in its thread. `isWhole`: the model has ended it. */
export interface AnswerGrowth {
  readonly kind: 'answer-grew'
  readonly thread: string
  readonly isWhole: boolean
  readonly usage: PartialUsage
}

/** What one report says; the rest is as the report before said. */
export interface PartialUsage extends Partial<TokenCounts> {
  readonly isOdd?: true
}

/** The end of a turn. */
export interface SdkResult {
  /** Also for what calls itself a success and carries an error. */
  readonly isError: boolean
  readonly message: string
  readonly status: number | undefined
  readonly terminalReason: string | undefined
  /** Why the agent program itself could not begin. */
  readonly startupFailure: string | undefined
  /** What the whole conversation used, from its first session on, by all its models together. */
  readonly tokens?: TokenCounts | undefined
  /** What the whole conversation cost, from its first session on. */
  readonly totalDollars: number | undefined
  /** The total is made of list prices only. */
  readonly isListPrice: boolean
}
