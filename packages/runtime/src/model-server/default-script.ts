import { type Answer, say } from './answer.ts'
import { isReminder, type Turn } from './model-request.ts'

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
