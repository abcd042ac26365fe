/**
 * The record: every event on disk before anyone hears of it, and the state folded from it.
 *
 * Owns the files under `journal/` and `state.json`. Does not know who listens, what a codon does, or what may happen
 * next. Redaction is handed in; the rules of the state are the protocol's.
 */

export { type CopiedPrefix, copyPrefix } from './copy-prefix.ts'
export { executionIdOf } from './execution-id.ts'
export { createHistory, type History } from './history.ts'
export { type AppendOptions, type Journal, openJournal } from './journal.ts'
export { type KnownEnd, type LastLines, readLastLines, saidUpTo } from './last-lines.ts'
export type { Origin } from './line.ts'
export { createScratch, isForEveryone, planType, type StoredEvent } from './line-reader.ts'
export type { Listener, RecordedEvent } from './notify.ts'
export type { Page, ReadProblem } from './page.ts'
export {
  cachedState,
  crashOf,
  lastEventTime,
  type Replayed,
  replay,
  stateIn,
  writeStateCache,
} from './replay.ts'
export { type JournalCut, type JournalSurvey, surveyJournal } from './survey.ts'
export { createTail } from './tail.ts'
export { describeFindings, inspectJournal } from './tail-repair.ts'
