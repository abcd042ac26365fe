import type { OutlineLine } from 'weave-client'

/** How much of the plan is done. */
export interface Progress {
  readonly done: number
  /** Items of the plan; 0: not known yet. */
  readonly total: number
  /** From 0 to 1; a loop counts by its iterations where their number is known. */
  readonly part: number
}

export function progressOf(outline: readonly OutlineLine[]): Progress {
  const parts = outline.map(partOf)
  const total = parts.length
  const done = parts.filter(part => part === 1).length
  return { done, total, part: total === 0 ? 0 : parts.reduce((sum, part) => sum + part, 0) / total }
}

function partOf(item: OutlineLine): number {
  if (item.kind === 'codon') return isDone(item.status) ? 1 : 0
  if (item.ended) return 1
  const inside = item.codons.filter(({ status }) => isDone(status)).length / Math.max(1, item.codons.length)
  const open = item.completed > item.iteration ? 0 : inside
  return item.limit === null ? 0 : Math.min(0.99, (item.completed + open) / item.limit)
}

function isDone(status: string): boolean {
  return status === 'completed' || status === 'skipped'
}
