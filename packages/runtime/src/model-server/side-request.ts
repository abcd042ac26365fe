import { type Answer, say } from './answer.ts'
import { isReminder, type ModelRequest, type Turn } from './model-request.ts'
import { schemaExample } from './schema-example.ts'
import { workTools } from './translate-tool.ts'

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

/** What a codon without steps does: it writes down the first lines of its prompt, then says so, however often it is asked. */
export function defaultAnswer(runtimeId: string, prompt: string, requestsBefore: number): Answer {
  const path = `rehearsal/${fileName(runtimeId)}.md`
  if (requestsBefore > 0) return say(`I wrote the first lines of my prompt to ${path}.`)
  const content = `# ${runtimeId}\n\n${firstLines(prompt)}\n`
  return { kind: 'message', parts: [{ kind: 'use', use: 'write', input: { path, content } }] }
}

/** Letters, digits and a few marks stay; everything else is replaced, since an id may hold any text. */
function fileName(runtimeId: string): string {
  const name = runtimeId.replace(/[^\p{L}\p{N}._#-]+/gu, '_').slice(0, 100)
  return /^\.*$/.test(name) ? '_' : name
}

const mostLines = 10
const mostCharacters = 1000

function firstLines(prompt: string): string {
  return prompt.trim().split('\n').slice(0, mostLines).join('\n').slice(0, mostCharacters).trimEnd()
}

/** The newest thing that the user said, without what the harness put beside it. */
export function newestPrompt(turns: readonly Turn[]): string {
  const said = turns.filter(turn => turn.role === 'user').map(ownText)
  return said.findLast(text => text !== '') ?? ''
}

function ownText({ texts }: Turn): string {
  return texts.filter(text => !isReminder(text)).join('\n\n')
}
