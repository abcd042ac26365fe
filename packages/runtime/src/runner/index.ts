/**
 * The machine: what runs next, and the running of it.
 *
 * Owns the order of things and is the only writer of state. Does not know sockets, terminals or where files lie: what a
 * codon needs from the rooms around it is handed in as functions.
 */
export { type AdoptionVerdict, adoption } from './adoption.ts'
export { codonPrompt } from './codon-prompt.ts'
export type { Control } from './control.ts'
export type {
  AgentEffects,
  ArchivedFiles,
  CheckpointEffects,
  CodonEffects,
  CodonPlace,
  EffectResult,
  Effects,
  FileEffects,
  RigCleanup,
  RigResult,
  RollbackEffects,
  RollbackIntent,
  SentinelEffects,
  SentinelWatch,
  Surroundings,
} from './effects.ts'
export { type Deciding, GateDesk, type Gating } from './gate-desk.ts'
export type { GateEffects } from './gate-effects.ts'
export { nothingLeft, rigKeptBy } from './lineage.ts'
export { openTimes } from './open-times.ts'
export type { BorderPorts, BorderWord, PutOnRecord, Step } from './ports.ts'
export { resumePoint, startPoint } from './resume-point.ts'
export { finishRollback, rigsToClean } from './rollback.ts'
export { goesOnWith, openAtRest, type RestOptions, rollBackAtRest } from './rollback-at-rest.ts'
export { type RollbackCommand, type RollbackTarget, rollbackTarget, undoneBy } from './rollback-target.ts'
export type { RuleDeed } from './rule-deed.ts'
export { createRunEvents } from './run-events.ts'
export { type RunnerEnd, recordDone } from './run-lifecycle.ts'
export type { Runner, RunnerOptions } from './runner.ts'
export { startRunner } from './start-runner.ts'
export { createRecorder, type Recorder } from './state-recorder.ts'
