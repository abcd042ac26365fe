import { readdir } from 'node:fs/promises'
import type { JournaledEvent } from '@weave/protocol'
import {
  type ExecutionLayout,
  promptFolder,
  promptLog,
  readSentPrompts,
  type SentPrompt,
} from '../workspace/index.ts'

export interface PromptFinder {
  /**
   * The prompt that an event tells of: that of a codon which started, or of its extension. Give it every event of a
   * journal in order; undefined for other events, and where no prompt was kept.
   */
  of(event: JournaledEvent): Promise<SentPrompt | undefined>
}

/** Finds the prompts of an execution while its journal is read. Holds those of one codon at a time. */
export function findPrompts(layout: ExecutionLayout): PromptFinder {
  let runId = ''
  let started = ''
  let current: { readonly path: string; readonly sent: readonly SentPrompt[] } | undefined

  const promptOf = async (codonId: string, extension: number): Promise<SentPrompt | undefined> => {
    const path = promptLog(layout, runId, codonId)
    const found = () =>
      current?.path === path
        ? current.sent.find(sent => sent.extension === extension && sent.time >= started)
        : undefined
    if (!found()) current = { path, sent: await readSentPrompts(path) }
    return found()
  }
  return {
    async of({ type, data }) {
      if (type === 'run.started') runId = data.runId
      if (type === 'codon.extended') return promptOf(data.codonId, data.extension)
      if (type !== 'codon.started') return undefined
      started = data.startTime
      return promptOf(data.codonId, 0)
    },
  }
}

/** What was sent to a codon in the newest run that has something of it; nothing where none was kept. Never rejects. */
export async function lastPrompts(layout: ExecutionLayout, codonId: string): Promise<readonly SentPrompt[]> {
  const names = await readdir(promptFolder(layout)).catch(() => [])
  // Ids of runs begin with their time.
  const runs = names.sort((left, right) => (left < right ? 1 : -1))
  for (const runId of runs) {
    const sent = await readSentPrompts(promptLog(layout, runId, codonId)).catch(() => [])
    if (sent.length > 0) return sent
  }
  return []
}
