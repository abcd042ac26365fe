import { harmless, type StreamEntry } from 'weave-client'

export interface TextOptions {
  /** Show all of it. */
  readonly unfolded: boolean
  readonly costs: boolean
  /** Where the agent works; what lies there is named from there. */
  readonly root: string | undefined
}

/** What an entry of the stream says, before it is wrapped. */
export function shownText(entry: StreamEntry, { costs, unfolded, root }: TextOptions): string {
  if (!costs && entry.withoutCosts !== undefined) return entry.withoutCosts
  if (entry.text === '') return '(nothing)'
  const isOfTool = entry.kind === 'tool' || entry.kind === 'result'
  const text = entry.kind === 'tool' ? toolText(entry.text, unfolded) : entry.text
  return isOfTool ? shortPaths(text, root) : text
}

export function shortPaths(text: string, root: string | undefined): string {
  return root === undefined ? text : text.replaceAll(`${root}/`, '')
}

/** What a search looks at: all that is shown of an entry, folded or not. */
export function searchedText(entry: StreamEntry, options: Omit<TextOptions, 'unfolded'>): string {
  const text = shownText(entry, { ...options, unfolded: true })
  const hasName = entry.kind === 'tool' || entry.kind === 'sentinel'
  return hasName && entry.source !== undefined ? `${entry.source} ${text}` : text
}

/** What a tool is asked for usually stands in one of these. */
const mainFields = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'prompt', 'description']

/** The input of a tool: while folded the one field that says what it does, else all of it. */
function toolText(text: string, unfolded: boolean): string {
  const input = toolInput(text)
  if (!input) return text
  if (unfolded) return fieldLines(input)
  const main = mainFields.map(name => input[name]).find(value => typeof value === 'string')
  // Out of its quotes a text is what it was before: it has to be made harmless again.
  return typeof main === 'string' ? harmless(main) : text
}

/** One field after the other, texts as they are and not in quotes. */
function fieldLines(input: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(input).map(([name, value]) => {
    const text = typeof value === 'string' ? harmless(value) : JSON.stringify(value)
    return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`
  })
  return lines.join('\n')
}

/** The fields of a tool call; undefined when they were cut, or are none. */
export function toolInput(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
