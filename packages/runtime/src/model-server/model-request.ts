/** OpenRouter speaks OpenAI's chat dialect at another address, with errors of its own. */
export type DialectName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'openrouter' | 'google'

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface ToolResult {
  /** The id of its call; empty where the dialect has none. */
  readonly id: string
  readonly text: string
  /** False where the dialect cannot say. */
  readonly isError: boolean
}

/** One message of the conversation, the same in every dialect. Thinking and images are left out. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  /** The text blocks, joined with blank lines. */
  readonly text: string
  /** The text blocks, one by one: harnesses put blocks of their own beside the prompt. */
  readonly texts: readonly string[]
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolResult[]
}

/** Whether a text block is a note of the harness, not something that the user said. */
export function isReminder(text: string): boolean {
  return text.trimStart().startsWith('<system-reminder>')
}

export interface ToolDeclaration {
  readonly name: string
  /** The names of its inputs. */
  readonly fields: readonly string[]
}

/** What a dialect finds in the body of a request. */
export interface RequestReading {
  readonly model: string
  readonly system: string
  readonly turns: readonly Turn[]
  readonly declarations: readonly ToolDeclaration[]
  readonly stream: boolean
  /** The JSON schema that the answer must have. */
  readonly schema?: unknown
  /** The only tool that may be called, which is how some clients ask for JSON. */
  readonly forcedTool?: string
}

/** One request for an answer of the model. Questions about models or token counts are no such requests. */
export interface ModelRequest extends RequestReading {
  readonly dialect: DialectName
  readonly key: string
  /** Names of the tools that may be called. */
  readonly tools: readonly string[]
  /** Counts the requests with this key, from 0. */
  readonly index: number
  readonly body: unknown
  /** Aborted when the client has gone or the server closes. */
  readonly signal: AbortSignal
}
