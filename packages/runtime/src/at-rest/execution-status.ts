import { currentRun } from '@weave/protocol'
import { findLostJournal } from '../execution/index.ts'
import { createHistory, describeFindings, inspectJournal, replay } from '../journal/index.ts'
import { messageOf } from '../kit/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface ExecutionStatus {
  readonly status: string
  readonly cost: number
  /** How many codons are done. */
  readonly codons: number
  /** What is amiss with its journal, for people. */
  readonly problems: readonly string[]
}

/** What an execution at rest has come to, read off its journal. Changes nothing; never rejects. */
export async function executionStatus(layout: ExecutionLayout): Promise<ExecutionStatus> {
  try {
    return await readStatus(layout)
  } catch (error) {
    const why = messageOf(error)
    const problem = `The journal in ${layout.journal} cannot be read: ${why}.`
    return { status: 'unreadable', cost: 0, codons: 0, problems: [problem] }
  }
}

async function readStatus(layout: ExecutionLayout): Promise<ExecutionStatus> {
  const { journal, stateFile } = layout
  const { findings } = await inspectJournal(journal)
  const { state, lastSeq } = await replay(createHistory({ dir: journal }), stateFile)
  const lost = findLostJournal(layout, { lastSeq, hasPlan: lastSeq > 0 })
  const run = currentRun(state)
  const done = state.runs.flatMap(each => each.codons).filter(codon => codon.status === 'completed')
  const status = run?.status === 'running' ? 'crashed' : (run?.status ?? 'new')
  return {
    status: lost ? 'unreadable' : status,
    cost: state.totalCost,
    codons: new Set(done.map(codon => codon.codonId)).size,
    problems: [...describeFindings(findings), ...(lost ? [`${lost.message} ${lost.cure}`] : [])],
  }
}
