import { type ExecutionLayout, promptLog, readSentPrompts, type SentPrompt } from '../workspace/index.ts'
import { names } from './names.ts'
import { contentAttributes, type EndedSpan } from './span.ts'

/** A span with the prompts that its agent was given, for those who want content. The journal does not hold them. Never rejects. */
export async function withPrompts(span: EndedSpan, layout: ExecutionLayout): Promise<EndedSpan> {
  if (!span.asked) return span
  const { codonId, began } = span.asked
  const all = await readSentPrompts(promptLog(layout, span.runId, codonId)).catch(() => [])
  const sent = all.filter(({ time }) => time >= began && Date.parse(time) <= span.end)
  if (sent.length === 0) return span
  return { ...span, attributes: { ...span.attributes, ...promptAttributes(sent) } }
}

function promptAttributes(sent: readonly SentPrompt[]) {
  const system = sent.find(({ systemPrompt }) => systemPrompt !== undefined)?.systemPrompt
  return contentAttributes({
    [names.systemInstructions]: system === undefined ? undefined : JSON.stringify([textPart(system)]),
    [names.inputMessages]: JSON.stringify(
      sent.map(({ prompt }) => ({ role: 'user', parts: [textPart(prompt)] })),
    ),
  })
}

function textPart(content: string): object {
  return { type: 'text', content }
}
