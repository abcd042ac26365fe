import { type ExecutionLayout, findPrompts, readEvents } from '@weave/runtime'
import { describeEvent, harmless } from 'weave-client'
import type { Terminal } from './terminal.ts'

type Event = Parameters<typeof describeEvent>[0]
type Sent = Awaited<ReturnType<ReturnType<typeof findPrompts>['of']>>

/** What was said in an execution: prompts, answers, tool calls and what came of them, as one text to read. */
export async function printConversation(
  layout: ExecutionLayout,
  { codonId, since }: { readonly codonId: string | undefined; readonly since: number },
  terminal: Terminal,
): Promise<void> {
  const prompts = findPrompts(layout)
  // All events, also of other codons: they say which run a codon belongs to.
  for await (const { event } of readEvents(layout, {}, ({ message }) => terminal.error(message))) {
    const sent = await prompts.of(event)
    if (event.seq <= since || !concerns(event, codonId)) continue
    for (const line of conversationLines(event, sent)) terminal.out(line)
  }
}

function concerns({ data }: Event, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  const own = 'codonId' in data ? data.codonId : undefined
  return own === wanted || own?.startsWith(`${wanted}#`) === true
}

/** The part of a conversation that one event is; nothing for most. Pure. */
function conversationLines(event: Event, sent: Sent): readonly string[] {
  const { type, data } = event
  switch (type) {
    case 'codon.started':
      return [
        ...heading(`${data.codonId}: ${data.codonName}, ${event.timestamp.slice(0, 19).replace('T', ' ')}`),
        ...(sent?.systemPrompt === undefined ? [] : part('System prompt', sent.systemPrompt)),
        ...part('Prompt', sent?.prompt ?? '(not kept)'),
      ]
    case 'codon.extended':
      return part(`Prompt ${data.extension + 1}`, sent?.prompt ?? '(not kept)')
    case 'assistant.action':
      if (data.action === 'tool_use')
        return part(`Tool ${data.toolName ?? ''}`.trimEnd(), inputText(data.toolInput) || data.content)
      return part(data.action === 'thinking' ? 'Thinking' : 'Agent', data.content)
    case 'tool.result':
      return part(data.isError ? 'Result, failed' : 'Result', data.result)
    case 'codon.completed':
    case 'rollback.completed':
      return heading(describeEvent(event))
    default:
      return []
  }
}

function heading(words: string): readonly string[] {
  return [`── ${harmless(words)} ${'─'.repeat(Math.max(4, 76 - words.length))}`, '']
}

function part(name: string, text: string): readonly string[] {
  const lines = harmless(text.trimEnd()).split('\n')
  return [name, ...lines.map(line => (line === '' ? '' : `  ${line}`)), '']
}

/** `command: ls`; a value of several lines stands below its name. */
function inputText(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text.includes('\n') ? `${name}:\n${text.replace(/^/gm, '  ')}` : `${name}: ${text}`
    })
    .join('\n')
}
