/** What a message of the SDK says, as far as anyone here wants to know. */
export type SdkMessage =
  /** Blocks of one answer of the model; an answer comes in several such messages with one id. */
  | {
      readonly kind: 'answer'
      readonly messageId: string
      readonly modelId: string | undefined
      readonly blocks: readonly Block[]
      readonly usage: PartialUsage
    }
  /** Written by the agent program instead of the model, to say what went wrong. */
  | { readonly kind: 'notice'; readonly error: string | undefined }
  /** The beginning of an answer that is being written. `thread`: the tool call that a subagent works for. */
  | {
      readonly kind: 'answer-began'
      readonly thread: string
      readonly messageId: string
      readonly modelId: string | undefined
      readonly usage: PartialUsage
    }
  /** `isWhole`: the model has ended it; otherwise it was cut off. */
  | {
      readonly kind: 'answer-grew'
      readonly thread: string
      readonly isWhole: boolean
      readonly usage: PartialUsage
    }
  | { readonly kind: 'tool-results'; readonly results: readonly ToolOutput[] }
  | {
      readonly kind: 'retry'
      readonly delayMs: number
      /** Absent when the provider did not answer at all. */
      readonly status: number | undefined
    }
  | { readonly kind: 'compacted' }
  | { readonly kind: 'result'; readonly result: SdkResult }
  /** Known, and no news. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'unknown'; readonly name: string }

export type Block =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
    }

export interface ToolOutput {
  readonly id: string
  readonly output: string
  readonly isError: boolean
}

/** What one report says; the rest is as the report before said. */
export interface PartialUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheCreationTokens?: number
  readonly cacheReadTokens?: number
  /** Something in it is no number of tokens. */
  readonly isOdd?: true
}

/** The end of a turn. */
export interface SdkResult {
  /** Also for what calls itself a success and carries an error. */
  readonly isError: boolean
  readonly message: string
  /** HTTP status of the provider's answer. */
  readonly status: number | undefined
  readonly terminalReason: string | undefined
  /** Why the agent program itself could not begin. */
  readonly startupFailure: string | undefined
  /** What the whole conversation cost, from its first session on. */
  readonly totalDollars: number | undefined
  /** The total is made of list prices only. */
  readonly isListPrice: boolean
}
