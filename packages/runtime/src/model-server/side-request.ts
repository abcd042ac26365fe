import { type Answer, say } from './answer.ts'
import { newestPrompt } from './default-script.ts'
import type { ModelRequest } from './model-request.ts'
import { schemaExample } from './schema-example.ts'

/**
 * The answer to a request that a harness makes for itself, with the key of its codon: a title, a test of the key, a summary
 * of a conversation that became too long. Such requests are no part of a script. Undefined for all others.
 */
export function sideAnswer(request: ModelRequest): Answer | undefined {
  if (isSummary(request)) return say(summary)
  const isWork = request.tools.some(name => workTools.has(name.toLowerCase()))
  return isWork ? undefined : plainAnswer(request, 'ok')
}

/** The question that is asked with the key of a sentinel before it works: no part of its outputs. */
export function isHealthCheck({ turns, system }: ModelRequest): boolean {
  return system === '' && turns.length === 1 && turns[0]?.text === 'Reply with the word ok.'
}

/** `text`, or JSON when the client wants nothing else. */
export function plainAnswer({ schema }: ModelRequest, text: string): Answer {
  return say(schema === undefined ? text : JSON.stringify(schemaExample(schema)))
}

/** A harness never asks its model to work without one of these. */
const workTools = new Set(['read', 'write', 'edit', 'bash'])

/** One harness offers all its tools when it asks for a summary, and says in many words that none may be used. */
function isSummary({ turns }: ModelRequest): boolean {
  const asked = newestPrompt(turns)
  return summaryMarks.every(mark => asked.includes(mark))
}

const summaryMarks = [
  'Do NOT call any tools',
  'Your task is to create a detailed summary of',
  '<analysis>',
  '<summary>',
]

const summary = [
  '<analysis>A rehearsal has nothing to remember: the next steps are in its script.</analysis>',
  '<summary>The conversation of a rehearsal, cut short. The work goes on with the next step of the script.</summary>',
].join('\n\n')
