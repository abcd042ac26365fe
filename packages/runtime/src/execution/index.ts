/**
 * One execution that this process holds: start, wiring of the rooms, what a start puts right after a crash, and the
 * intents on disk that make that possible.
 */

export { type Activity, createActivities } from './activity.ts'
export type { Harnesses, OwnPrograms, Program } from './agents.ts'
export { openCheckpointEffects } from './checkpoint-effects.ts'
export { findLostJournal, frozenPlan, type KeptPlan, keptPlans, mayAdopt } from './frozen-plan.ts'
export { readGateBook } from './gate-book.ts'
export { createGateEffects, ownName } from './gate-effects.ts'
export { asksAtTheEnd } from './gating.ts'
export { holdExecution } from './hold.ts'
export { readRequests, type StoredRequest } from './proxy.ts'
export { putRight } from './recovery.ts'
export { putBackRig, withParents } from './rig-effects.ts'
export type { Recovering } from './rollback-effects.ts'
export { planArchives } from './rollback-effects.ts'
export { createSelections } from './selections.ts'
export { type RecordedSetting, readSettings } from './settings-record.ts'
export { type Execution, type ExecutionOptions, startExecution } from './start.ts'
