import type { AgentRow } from '../../models/index.ts'

/** What the words of a row stand for. */
export interface RowWords {
  readonly url: string
  readonly api: string
  readonly key: string
  readonly model: string
  readonly home: string
  readonly autoCompact: boolean
  readonly context: number
  readonly output: number
}

export interface FilledRow {
  /** Without the program. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
}

export function fillRow({ command, env = {}, files = {} }: AgentRow, words: RowWords): FilledRow {
  const values = new Map(Object.entries(words).map(([name, value]) => [name, String(value)]))
  const each = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, values)]))
  return { args: command.slice(1).map(text => filled(text, values)), env: each(env), files: each(files) }
}

/** A single pass, so that nothing that was filled in is looked at again. A text with quotes is JSON, TOML or the like. */
function filled(text: string, values: ReadonlyMap<string, string>): string {
  const isQuoted = text.includes('"')
  return text.replace(/\$\{(\w+)\}/g, (word, name: string) => {
    const value = values.get(name)
    if (value === undefined) return word
    return isQuoted ? JSON.stringify(value).slice(1, -1) : value
  })
}

/**
 * What would lead an agent past its row: other addresses, other ways to sign in, marks of a session around us. Keys stay
 * where they are, since commands of the agent may need them; the row's own win.
 */
const leadsElsewhere =
  /^(?:AI_AGENT|CLAUDE(?:CODE|_.*)|ANTHROPIC_(?!API_KEY$).*|OPENAI_(?!API_KEY$).*|GOOGLE_GENAI_.*|GOOGLE_(?:GEMINI|VERTEX)_BASE_URL|GEMINI_(?!API_KEY$).*|VENDOR_BASE_URL|OPENCODE(?:_.*)?|CODEX_.*)$/

/** The environment of the agent's program. One with a login of its own keeps all that may belong to it. */
export function agentEnvironment(
  env: Readonly<Record<string, string>>,
  { dialect }: Pick<AgentRow, 'dialect'>,
  own: FilledRow['env'],
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(([name]) => dialect === 'none' || !leadsElsewhere.test(name))
  return { ...Object.fromEntries(kept), ...own }
}
