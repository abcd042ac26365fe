import { executionLayout, lastPrompts } from '@weave/runtime'
import type { PromptKey } from '@weave/tui'
import { harmless } from 'weave-client'

/** Only of an execution on this machine: where a path leads elsewhere, nothing is there. */
export async function sentPrompt({ executionPath, codonId }: PromptKey): Promise<string | undefined> {
  const sent = await lastPrompts(executionLayout(executionPath), codonId)
  const texts = sent.flatMap(({ systemPrompt, prompt, extension }) => [
    ...(systemPrompt === undefined ? [] : [`── System prompt\n\n${systemPrompt.trimEnd()}`]),
    `── Prompt${extension === 0 ? '' : ` ${extension + 1}`}\n\n${prompt.trimEnd()}`,
  ])
  return texts.length === 0 ? undefined : harmless(texts.join('\n\n'))
}
