/** Tokens by class, each counted in one class only: `input` is what came from no cache and went into none. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export type GivenUsage = { readonly [Class in keyof Usage]?: number | undefined }

/** A call of one of the four tools that every harness has, in words of ours; see `translate-tool.ts`. */
export type ToolUse =
  | { readonly use: 'read'; readonly input: { readonly path: string } }
  | { readonly use: 'write'; readonly input: { readonly path: string; readonly content: string } }
  | {
      readonly use: 'edit'
      readonly input: { readonly path: string; readonly old: string; readonly new: string }
    }
  | { readonly use: 'bash'; readonly input: { readonly command: string } }

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** Becomes the call that the harness of this request understands. */
  | ({ readonly kind: 'use' } & ToolUse)
  /** A tool call as it stands. */
  | {
      readonly kind: 'call'
      readonly name: string
      readonly input: unknown
      /** An error when the request does not offer it. */
      readonly mustBeOffered?: true
    }

/** What the model does with one request. `wait`: milliseconds before anything of it happens. */
export type Answer = { readonly wait?: number } & (
  | {
      readonly kind: 'message'
      readonly parts: readonly AnswerPart[]
      /** A class left out is 0; without any usage, figures follow from the length of the texts. */
      readonly usage?: GivenUsage | undefined
      /** By default `tool-use` when a tool is called, else `end`. */
      readonly stop?: StopReason
      /** What happens half-way: the connection is cut, nonsense follows, or nothing more comes. */
      readonly broken?: 'cut' | 'garbage' | 'stall'
    }
  | {
      readonly kind: 'error'
      readonly status: number
      readonly message?: string | undefined
      /** Seconds. */
      readonly retryAfter?: number | undefined
    }
  /** The context is full, in the words of the provider. */
  | { readonly kind: 'overflow' }
  /** Nothing for so many seconds, then the connection is cut. */
  | { readonly kind: 'hang'; readonly seconds: number }
  /** The connection is cut before anything is answered. */
  | { readonly kind: 'drop' }
)

export type StopReason = 'end' | 'tool-use' | 'max-tokens' | 'refusal'

export function say(text: string): Answer {
  return { kind: 'message', parts: [{ kind: 'text', text }] }
}
