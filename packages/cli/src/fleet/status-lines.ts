import type { BatchStatus, ExecutionStatus } from 'weave-fleet'
import { columns } from '../terminal.ts'

/** One batch in a line: how many executions are in which state. */
export function batchLine({ id, state, counts }: BatchStatus): string {
  const words = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return `${id}  ${words.join(', ')}${state === 'open' ? '' : ` (${state})`}`
}

/** What came of a batch; the executions that did not succeed, each with its reason. */
export function summaryOf(status: BatchStatus, executions: readonly ExecutionStatus[]): readonly string[] {
  const others = executions.filter(({ state }) => state !== 'succeeded')
  return [
    `Batch      ${batchLine(status)}`,
    ...columns(others.map(({ n, name, state, reason }) => [String(n), name, state, reason ?? ''])),
  ]
}
