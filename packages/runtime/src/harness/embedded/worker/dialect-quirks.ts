/** What the SDK does not notice in the answers of a dialect, line by line as they are streamed. */
export interface DialectQuirks {
  /** Whether this is the line without which an answer is not whole: the SDK takes what just stops coming for an answer. */
  isEnding(line: string): boolean
  /** Whether the provider says here that it will not answer. */
  isRefusal(line: string): boolean
  /** The line in words that the SDK understands. */
  mend(line: string): string
}

const incomplete = /^(event: *|data: *\{"type": *")response\.incomplete\b/

/** The SDK knows a response that ends early by its status, but waits for the event of one that ends well. */
const responses: DialectQuirks = {
  isEnding: line => /"type": *"response\.(?:completed|incomplete|failed)"/.test(line),
  isRefusal: line => incomplete.test(line) && /"reason": *"content_filter"/.test(line),
  mend: line => line.replace(incomplete, '$1response.completed'),
}

const google: DialectQuirks = {
  isEnding: line => /"(?:finishReason|blockReason)"/.test(line),
  isRefusal: () => false,
  mend: line => line,
}

const quirks: ReadonlyMap<string, DialectQuirks> = new Map([
  ['openai-responses', responses],
  ['google-generative-ai', google],
])

/** Undefined for a dialect in which the SDK notices everything. */
export function quirksOf(api: string): DialectQuirks | undefined {
  return quirks.get(api)
}
