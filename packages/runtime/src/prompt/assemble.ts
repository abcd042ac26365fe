import type { Problem } from '../kit/index.ts'
import { type PromptFile, type PromptMetadata, readFrontMatter } from './front-matter.ts'
import { afterNewlines, beforeNewlines } from './newlines.ts'
import { stripComments } from './strip-comments.ts'
import { fillTemplate } from './template.ts'

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
  readonly problems: readonly Problem[]
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
  readonly problems: readonly Problem[]
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
