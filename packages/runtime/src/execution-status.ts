import { currentRun } from '@weave/protocol'
import { createHistory, replay } from './journal/index.ts'
import type { ExecutionLayout } from './workspace/index.ts'

/** What an execution at rest has come to, read off its journal. Changes nothing. */
export async function executionStatus({ journal, stateFile }: ExecutionLayout) {
  const { state } = await replay(createHistory({ dir: journal }), stateFile)
  const run = currentRun(state)
  const done = state.runs.flatMap(each => each.codons).filter(codon => codon.status === 'completed')
  const status = run?.status === 'running' ? 'crashed' : (run?.status ?? 'new')
  return { status, cost: state.totalCost, codons: new Set(done.map(codon => codon.codonId)).size }
}
