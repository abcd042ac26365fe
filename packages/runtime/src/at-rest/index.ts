/** An execution that no server holds: what is read of it, and list, diff, rollback, undo and clean-up of its versions. */
export { type NamedCheckpoint, nameCheckpoint } from './checkpoint-name.ts'
export { type CheckpointRow, readCheckpointRows, rowsOf } from './checkpoint-rows.ts'
export { type Holdings, holdingsOf, type Tidied, tidyExecution } from './disk-usage.ts'
export { type AnswerTaken, answerAtRest, type GateQuestion, readGates, waitingGate } from './gates.ts'
export {
  executionStatus,
  isFinished,
  type JournalDamage,
  type JournalReader,
  openJournalReader,
  previewAdoption,
  readCosts,
  readEarlierCosts,
  readEvents,
  readExecutionId,
  readLastSeq,
  readPlans,
  readSelection,
} from './read-execution.ts'
export { type ReadSpans, readSpans } from './read-spans.ts'
export type { RollbackPreview } from './rollback.ts'
export { findPrompts, lastPrompts, type PromptFinder } from './sent-prompts.ts'
export { openStoppedExecution, type RollbackWish, type StoppedExecution } from './stopped-execution.ts'
