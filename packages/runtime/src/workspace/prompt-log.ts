import { join } from 'node:path'
import * as z from 'zod'
import { fileNameOf } from '../files/index.ts'
import { readRecords } from '../kit/index.ts'
import type { ExecutionLayout } from './layout.ts'

/** One prompt as it was sent to an agent: beside its messages, because some agents do not repeat it in theirs. */
const sentPrompt = z.object({
  /** When it was sent. */
  time: z.string(),
  /** 0 for the prompt of the attempt, then the number of the extension. */
  extension: z.int(),
  prompt: z.string(),
  systemPrompt: z.string().optional(),
})

export type SentPrompt = Readonly<z.infer<typeof sentPrompt>>

export function promptLog({ internals }: ExecutionLayout, runId: string, runtimeId: string): string {
  return join(internals, 'prompts', fileNameOf(runId), `${fileNameOf(runtimeId)}.jsonl`)
}

/** What was sent to a codon in one run, in order. Nothing for an execution that kept none. Rejects when it cannot be read. */
export function readSentPrompts(path: string): Promise<readonly SentPrompt[]> {
  return readRecords(path, value => sentPrompt.safeParse(value).data)
}
