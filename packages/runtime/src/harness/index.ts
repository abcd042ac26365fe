/**
 * Agents: one interface, one adapter for each SDK behind it.
 *
 * Owns how an agent is started, listened to and stopped, and what its failures mean. Does not know codons, loops or
 * retries: it runs one task and reports.
 */

export { sdkHarnessAvailable } from './claude/available.ts'
export { createSdkHarness } from './claude/sdk-harness.ts'
export { failureOf, type Trouble } from './failure.ts'
export type { Harness, HarnessSpec, HarnessSurroundings } from './harness.ts'
export type { HarnessEnd, HarnessEvent } from './harness-event.ts'
export { type Silence, watchIdle } from './idle-timeout.ts'
export { embeddedHarnessAvailable } from './pi/available.ts'
export { createEmbeddedHarness } from './pi/embedded-harness.ts'
export { servable } from './pi/servable.ts'
export { runAgentWorker } from './pi/worker/run-agent-worker.ts'
export { createScriptedHarness, type ScriptStep } from './scripted.ts'
