import { fieldsOf, isObject, type JsonObject } from '../../../kit/index.ts'

/** What the SDK does not notice in the answers of a dialect, line by line as they are streamed. */
export interface DialectQuirks {
  /** The line without which an answer is not whole: the SDK takes what just stops coming for an answer. */
  isEnding(line: string): boolean
  isRefusal(line: string): boolean
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

const messageBounds = /^data: *\{"type": *"message_(?:start|delta)"/

/** The SDK breaks off an answer without usage, which some gateways leave out; without figures in it, it counts none. */
const messages: DialectQuirks = {
  // The SDK itself sees to it that an answer is whole.
  isEnding: () => true,
  isRefusal: () => false,
  mend: line => (messageBounds.test(line) && !line.includes('"usage":{') ? withUsage(line) : line),
}

function withUsage(line: string): string {
  const event = parsed(line.slice(line.indexOf('{')))
  if (!isObject(event)) return line
  const { message } = event
  const usage = (holder: JsonObject) => fieldsOf(holder['usage'])
  const mended = isObject(message)
    ? { ...event, message: { ...message, usage: usage(message) } }
    : { ...event, usage: usage(event) }
  return `data: ${JSON.stringify(mended)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** By dialect; there are none for a dialect in which the SDK notices everything. */
const quirks: ReadonlyMap<string, DialectQuirks> = new Map([
  ['anthropic-messages', messages],
  ['openai-responses', responses],
  ['google-generative-ai', google],
])

export function quirksOf(api: string): DialectQuirks | undefined {
  return quirks.get(api)
}
