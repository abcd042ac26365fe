/**
 * Agents: one interface, one adapter for each SDK behind it.
 *
 * Owns how an agent is started, listened to and stopped, and what its failures mean. Does not know codons, loops or
 * retries: it runs one task and reports.
 */
export { embeddedHarnessAvailable } from './embedded/available.ts'
export { createEmbeddedHarness } from './embedded/embedded-harness.ts'
export { servable } from './embedded/servable.ts'
export { runAgentWorker } from './embedded/worker/run-agent-worker.ts'
export { failureOf, type Trouble } from './failure.ts'
export type { Harness, HarnessSpec, HarnessSurroundings } from './harness.ts'
export type { HarnessEnd, HarnessEvent } from './harness-event.ts'
export { type Silence, watchIdle } from './idle-timeout.ts'
export { createScriptedHarness, type ScriptStep } from './scripted.ts'
export { sdkHarnessAvailable } from './sdk/available.ts'
export { createSdkHarness } from './sdk/sdk-harness.ts'
