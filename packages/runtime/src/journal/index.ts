/**
 * The record: every event on disk before anyone hears of it, and the state folded from it.
 *
 * Owns the files under `journal/` and `state.json`. Does not know who listens, what a codon does, or what may happen
 * next. Redaction is handed in; the rules of the state are the protocol's.
 */
export { describeFindings } from './describe-findings.ts'
export { isForEveryone } from './event-counts.ts'
export { createHistory, type History } from './history.ts'
export { inspectJournal } from './inspect.ts'
export { type AppendOptions, type Journal, openJournal } from './journal.ts'
export type { Origin } from './line.ts'
export type { StoredEvent } from './line-reader.ts'
export type { Page, ReadProblem } from './page.ts'
export { crashOf, type Replayed, replay } from './replay.ts'
export { writeStateCache } from './state-cache.ts'
export type { Listener, RecordedEvent } from './teller.ts'
