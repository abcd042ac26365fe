import { createHistory, createScratch, type History } from '../journal/index.ts'
import { executionLayout } from '../workspace/index.ts'
import type { NamedPlace } from './job.ts'

/** What is known of a journal saves the next reader time: those of journals that were looked at last are kept. */
const kept = new Map<string, History>()
const mostKept = 20

/** The journal of an execution, to be read only. */
export function historyOf({ dir }: Pick<NamedPlace, 'dir'>): History {
  const history = kept.get(dir) ?? createHistory({ dir: executionLayout(dir).journal, readOnly: true })
  kept.delete(dir)
  kept.set(dir, history)
  const [oldest] = kept.keys()
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  return history
}

/**
 * Read in stretches, between which somebody else has their turn. All are read into the same room: the events of one are good
 * until the next is asked for, and a million lines leave nothing but small objects to the collector.
 */
export function inStretches() {
  return { maxEvents: 4_000, maxBytes: 4 << 20, scratch: createScratch() }
}
