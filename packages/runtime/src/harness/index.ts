/**
 * Agents: one interface, one adapter for each SDK behind it.
 *
 * Owns how an agent is started, listened to and stopped, and what its failures mean. Does not know codons, loops or
 * retries: it runs one task and reports.
 */
export type { Harness, HarnessSpec } from './harness.ts'
export type { HarnessEnd, HarnessEvent } from './harness-event.ts'
export { type IdleWatch, watchIdle } from './idle-timeout.ts'
export { createScriptedHarness, type ScriptStep } from './scripted.ts'
