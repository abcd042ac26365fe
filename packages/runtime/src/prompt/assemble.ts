import { join } from 'node:path'
import {
  afterNewlines,
  beforeNewlines,
  type PromptFile,
  type PromptMetadata,
  type PromptProblem,
  readFrontMatter,
} from './front-matter.ts'

/** Files or a text; where both are there the files win. */
export interface PromptSource {
  readonly files?: readonly PromptFile[] | undefined
  readonly text?: string | undefined
}

export interface PromptParts {
  /** The path of the agent workspace, for the template variables. */
  readonly agentRoot: string
  readonly prompt: PromptSource
  /** Comes before what the codon appends. */
  readonly globalSystemPrompt?: PromptSource | undefined
  readonly appendSystemPrompt?: PromptSource | undefined
  readonly exhaustWithPrompt?: string | undefined
}

export interface AssembledPrompt {
  readonly prompt: string
  /** Absent when nothing is left of it. */
  readonly systemPrompt?: string
  readonly exhaustWithPrompt?: string
  /** From the front matter of the files of the prompt: of several files the first that has a field gives it. */
  readonly metadata: PromptMetadata
  /** Warnings only: a prompt can always be put together. */
  readonly problems: readonly PromptProblem[]
}

/**
 * The texts that go to the model. Files lose their front matter; parts are joined with one blank line; then the template
 * variables are filled in and the comments taken out, in this order. Reads no file; never rejects.
 */
export async function assemblePrompt(parts: PromptParts): Promise<AssembledPrompt> {
  const { agentRoot, exhaustWithPrompt } = parts
  const [user, global, append] = await Promise.all(
    [parts.prompt, parts.globalSystemPrompt, parts.appendSystemPrompt].map(readSource),
  )
  const finished = (texts: readonly string[]): string =>
    stripComments(fillTemplate(joinParts(texts), agentRoot))
  const systemPrompt = finished([...(global?.texts ?? []), ...(append?.texts ?? [])])
  return {
    prompt: finished(user?.texts ?? []),
    ...(systemPrompt.trim() !== '' && { systemPrompt }),
    ...(exhaustWithPrompt !== undefined && { exhaustWithPrompt: finished([exhaustWithPrompt]) }),
    metadata: user?.metadata ?? {},
    problems: [user, global, append].flatMap(source => source?.problems ?? []),
  }
}

interface ReadSource {
  readonly texts: readonly string[]
  readonly metadata: PromptMetadata
  readonly problems: readonly PromptProblem[]
}

async function readSource(source: PromptSource | undefined): Promise<ReadSource> {
  if (!source?.files || source.files.length === 0)
    return { texts: source?.text === undefined ? [] : [source.text], metadata: {}, problems: [] }
  const read = await Promise.all(source.files.map(readFrontMatter))
  return {
    texts: read.map(({ body }) => body),
    metadata: Object.assign({}, ...read.map(({ metadata }) => metadata).reverse()) as PromptMetadata,
    problems: read.flatMap(({ problems }) => problems),
  }
}

/** One blank line between two parts, however many newlines they end or begin with. Parts with nothing in them are left out. */
function joinParts(texts: readonly string[]): string {
  const parts = texts.filter(text => text.trim() !== '')
  if (parts.length < 2) return parts[0] ?? texts[0] ?? ''
  const last = parts.length - 1
  return parts
    .map((text, at) => {
      const from = at === 0 ? 0 : afterNewlines(text, 0)
      return text.slice(from, at === last ? text.length : beforeNewlines(text, text.length))
    })
    .join('\n\n')
}

const opening = '<!--'
const closing = '-->'

/**
 * The text without its HTML comments and the newlines directly after each. A comment that is never closed stays, and so
 * does what only becomes one when another is taken out. One pass, linear in the text.
 */
export function stripComments(text: string): string {
  const kept: string[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf(opening, at)
    const end = start === -1 ? -1 : text.indexOf(closing, start + opening.length)
    if (end === -1) return kept.length === 0 ? text : kept.join('') + text.slice(at)
    kept.push(text.slice(at, start))
    at = afterNewlines(text, end + closing.length)
  }
}

const dataFolder = 'read_only_data_source'

/**
 * Puts the paths of the workspace in: `<%AGENT_ROOT%>`, its aliases `<%PROJECT_DIR%>` and `<%EXECUTION_DIR%>`, and
 * `<%DATA_DIR%>`. Any other `<%…%>` stays as it is, and what is put in is not looked at again. One pass, linear.
 */
export function fillTemplate(text: string, agentRoot: string): string {
  return text.replace(variables, (_, name: string) =>
    name === 'DATA_DIR' ? join(agentRoot, dataFolder) : agentRoot,
  )
}

const variables = /<%(AGENT_ROOT|PROJECT_DIR|EXECUTION_DIR|DATA_DIR)%>/g
