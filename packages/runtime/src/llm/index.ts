/**
 * One-shot calls of a model: a question, an answer, what it cost in tokens.
 *
 * Owns how each provider is spoken to, how an answer in a given shape is asked for, and what its failures mean. It is
 * given the key and the address; it looks at no environment, adds up no money, and knows nothing of who asks.
 */
export { complete, takesTemperature } from './complete.ts'
export type {
  Checked,
  Completion,
  CompletionRequest,
  Message,
  StructuredOutput,
  UsedTokens,
} from './completion.ts'
