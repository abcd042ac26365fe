import { createSelection, type Selection } from '../../src/tree/index.ts'

/** What a checkpoint says of itself when a test does not care. */
export const ordinary = {
  type: 'completed',
  runId: 'run_1',
  codonId: 'write#0',
  codonName: 'Write',
  status: 'completed',
} as const

export function selectionOf(patterns: readonly string[]): Selection {
  const created = createSelection([patterns])
  if (!created.ok) throw new Error(created.message)
  return created.selection
}
