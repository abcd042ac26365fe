import { join } from 'node:path'
import * as z from 'zod'
import { fileNameOf } from '../files/index.ts'
import { errorCode, readLines } from '../kit/index.ts'
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
export async function readSentPrompts(path: string): Promise<readonly SentPrompt[]> {
  const sent: SentPrompt[] = []
  try {
    for await (const lines of readLines(path))
      sent.push(...lines.flatMap(({ bytes }) => promptIn(bytes.toString('utf8')) ?? []))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return sent
}

/** Undefined for what is no such line, or only the beginning of one. */
function promptIn(line: string): SentPrompt | undefined {
  try {
    return sentPrompt.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
