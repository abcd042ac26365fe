import type { TokenCounts } from '@weave/protocol'
import type { Result } from '../kit/index.ts'
import type { Dialect } from '../models/index.ts'

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>

export type Checked = Result

/** The shape that an answer must have. */
export type StructuredOutput = {
  /** What the shape is called and what it is for, as a hint to the model. */
  readonly name?: string | undefined
  readonly description?: string | undefined
} & (
  | {
      /** `array`: a list whose items have the schema. */
      readonly kind: 'object' | 'array'
      readonly schema: Schema
      /** Whether the whole answer really has the shape. Must not reject. */
      readonly check: (value: unknown) => Promise<Checked>
    }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
)

export interface CompletionRequest {
  readonly provider: string
  /** As the provider knows the model. */
  readonly modelId: string
  /** Absent: as the provider is usually spoken to. */
  readonly dialect?: Dialect | undefined
  /** A secret. */
  readonly key: string
  /** The address of the provider with its version path: `https://api.openai.com/v1`. */
  readonly api: string
  readonly system?: string | undefined
  /** The last one is the question. */
  readonly messages: readonly Message[]
  readonly output?: StructuredOutput | undefined
  readonly temperature?: number | undefined
  readonly maxOutputTokens: number
  /** Of this call, when the provider could not answer; waits in between as the provider asks. */
  readonly maxRetries: number
  readonly signal: AbortSignal
}

/** What an answer used, as far as the provider says. */
export type UsedTokens = TokenCounts | 'unknown'

export type Completion =
  | {
      readonly ok: true
      readonly text: string
      /** For a structured output: the value, which has the shape. */
      readonly value?: unknown
      readonly tokens: UsedTokens
    }
  | {
      readonly ok: false
      /** Whether the same call may go well later. */
      readonly retriable: boolean
      /** What the provider answered, if it did. */
      readonly status?: number
      readonly message: string
      readonly retryAfterMs?: number
      /** What an answer that was no good cost all the same. */
      readonly tokens?: UsedTokens
    }
