import { messageOf, type Problem, problemOf } from '../kit/index.ts'

/** What the author of a prompt says about it; travels with the start of a codon and is never sent to a model. */
export interface PromptMetadata {
  readonly name?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly version?: string
  readonly author?: string
}

/** A prompt file that was read already; `file` is its name in messages. */
export interface PromptFile {
  readonly file: string
  readonly text: string
}

export interface FrontMatter {
  readonly metadata: PromptMetadata
  /** The text without the front matter, or the whole text when there is none that can be read. */
  readonly body: string
  readonly problems: readonly PromptProblem[]
}

export type PromptProblem = Problem<'hank/front-matter'>

const longestBlock = 16 * 1024
const delimiter = '---'

/**
 * Takes YAML front matter off a prompt: a block between two lines `---` at the very beginning.
 *
 * Never rejects. Values are read as text, so `version: 1.0` stays `1.0`; keys that mean nothing here are ignored. A block
 * that is no YAML mapping, is too large or uses aliases is left in the text, with a warning. A text that only begins
 * with a line `---` has no front matter.
 */
export async function readFrontMatter({ file, text }: PromptFile): Promise<FrontMatter> {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text
  const block = blockOf(content)
  if (!block) return { metadata: {}, body: content, problems: [] }
  const warn = (message: string, line = 1): PromptProblem =>
    problemOf(
      { severity: 'warning', code: 'hank/front-matter', message },
      { where: '', place: { file, line, column: 1 } },
    )
  if (block.yaml.length > longestBlock) {
    const message = `the front matter is longer than ${longestBlock} characters and is sent as part of the prompt`
    return { metadata: {}, body: content, problems: [warn(message)] }
  }
  const parsed = await parseMapping(block.yaml)
  if (!parsed.ok) {
    const message = `the front matter is not usable and is sent as part of the prompt: ${parsed.message}`
    return { metadata: {}, body: content, problems: [warn(message, parsed.line + 1)] }
  }
  const { metadata, wrong } = metadataOf(parsed.entries)
  return { metadata, body: block.body, problems: wrong.map(message => warn(message)) }
}

interface Block {
  readonly yaml: string
  readonly body: string
}

function blockOf(text: string): Block | undefined {
  const first = /^---[ \t]*\r?\n/.exec(text.slice(0, 64))?.[0]
  if (first === undefined) return undefined
  let start = first.length
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    const next = end === -1 ? text.length : end + 1
    if (text.startsWith(delimiter, start) && text.slice(start, next).trimEnd() === delimiter)
      return { yaml: text.slice(first.length, start), body: text.slice(afterNewlines(text, next)) }
    start = next
  }
  return undefined
}

type Mapping =
  | { readonly ok: true; readonly entries: ReadonlyMap<unknown, unknown> }
  | { readonly ok: false; readonly message: string; readonly line: number }

/** The YAML reader is large and most prompts have no front matter, so it is loaded when the first one needs it. */
async function parseMapping(yaml: string): Promise<Mapping> {
  try {
    const { LineCounter, parseDocument } = await import('yaml')
    const lineCounter = new LineCounter()
    const document = parseDocument(yaml, { schema: 'failsafe', lineCounter, prettyErrors: false })
    const error = document.errors[0]
    if (error) return { ok: false, message: error.message, line: lineCounter.linePos(error.pos[0]).line }
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 })
    if (value instanceof Map) return { ok: true, entries: value }
    if (value === null || value === undefined || value === '') return { ok: true, entries: new Map() }
    return { ok: false, message: 'it is not a list of fields such as "name: …"', line: 1 }
  } catch (error) {
    return { ok: false, message: messageOf(error), line: 1 }
  }
}

function metadataOf(entries: ReadonlyMap<unknown, unknown>): {
  readonly metadata: PromptMetadata
  readonly wrong: readonly string[]
} {
  const wrong: string[] = []
  const text = (field: string): string | undefined => {
    const value = entries.get(field)
    if (typeof value === 'string') return value
    if (value !== undefined) wrong.push(`the field ${field} of the front matter is ignored: expected a text`)
    return undefined
  }
  const [name, description, version, author] = ['name', 'description', 'version', 'author'].map(text)
  const tags = tagsOf(entries.get('tags'))
  if (tags === 'wrong') wrong.push('the field tags of the front matter is ignored: expected a list of texts')
  const metadata: PromptMetadata = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(tags !== undefined && tags !== 'wrong' && { tags }),
    ...(version !== undefined && { version }),
    ...(author !== undefined && { author }),
  }
  return { metadata, wrong }
}

/** A list, or one text with commas. */
function tagsOf(value: unknown): readonly string[] | 'wrong' | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string')
    return value
      .split(',')
      .map(tag => tag.trim())
      .filter(tag => tag !== '')
  if (!Array.isArray(value) || !value.every(tag => typeof tag === 'string')) return 'wrong'
  return value
}

/** Where the newlines that begin at `from` are over. */
export function afterNewlines(text: string, from: number): number {
  let at = from
  while (isNewline(text[at])) at++
  return at
}

/** Where the newlines that end at `to` begin. */
export function beforeNewlines(text: string, to: number): number {
  let at = to
  while (isNewline(text[at - 1])) at--
  return at
}

function isNewline(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}
