import { mkdir } from 'node:fs/promises'
import { emptyState } from '@weave/protocol'
import { openJournal } from '../../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../../packages/runtime/src/kit/index.ts'
import { createRecorder } from '../../packages/runtime/src/runner/state-recorder.ts'
import { executionLayout } from '../../packages/runtime/src/workspace/index.ts'
import { codon, plan } from '../../packages/runtime/test/budget/budget-plans.ts'

/** Writes an execution whose only codon `a` cost $2.50 into a directory, which it returns. `begun: false`: without a plan. */
export async function spentExecution(dir: string, { begun = true } = {}): Promise<string> {
  const { journal: folder } = executionLayout(dir)
  await mkdir(folder, { recursive: true })
  if (!begun) return dir
  const redactor = createRedactor([])
  const journal = await openJournal({ dir: folder, clock: systemClock, redactor })
  journal.append('preflight.result', { ok: true, problems: [], plan: { ...plan([codon('a')]) } })
  const { record } = createRecorder(journal, redactor, emptyState)
  const startTime = '2026-01-01T00:00:00.000Z'
  record({
    type: 'RunStarted',
    data: { runId: 'r', startTime, gitBranch: 'run-r', startedFrom: { type: 'fresh' } },
  })
  record({
    type: 'CodonStarted',
    data: { codonId: 'a', codonName: 'A', attempt: 1, startTime, model: 'known' },
  })
  const tokens = { inputTokens: 100, outputTokens: 20, cacheCreationTokens: 0, cacheReadTokens: 0 }
  record({ type: 'CostsUpdated', data: { codonId: 'a', cost: 2.5, tokens } })
  await journal.close()
  return dir
}
