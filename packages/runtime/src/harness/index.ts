/**
 * Agents: one interface, one adapter for each SDK behind it. Owns how an agent is started, listened to and stopped, and what
 * its failures mean. Does not know codons, loops or retries: it runs one task and reports.
 */

export { createAcpHarness } from './acp/acp-harness.ts'
export { type FoundAgent, type NamedAgent, resolveAgent } from './acp/resolve-agent.ts'
export type { AgentServer } from './agent-server.ts'
export { servable } from './available.ts'
export { createSdkHarness } from './claude/claude-harness.ts'
export { settingsAbove } from './claude/workspace-words.ts'
export { failureOf, type Trouble } from './failure.ts'
export type {
  Harness,
  HarnessEnd,
  HarnessEvent,
  HarnessSpec,
  HarnessSurroundings,
  ToolChoice,
} from './harness.ts'
export { type Silence, watchIdle } from './idle-timeout.ts'
export { type InstallEnd, type InstallOptions, installHarness, removeHarness } from './install-harness.ts'
export {
  type HarnessWord,
  harnessWordOf,
  harnessWords,
  installableHarnesses,
  installLine,
  isHarnessWord,
  pinOf,
} from './installable.ts'
export { createEmbeddedHarness } from './pi/pi-harness.ts'
export { runAgentWorker } from './pi/worker/run-agent-worker.ts'
export { type Relocated, type Relocation, relocateLine } from './relocate-line.ts'
export {
  type FoundHarness,
  type HarnessSearch,
  harnessFolder,
  ownPlaces,
  resolveHarness,
} from './resolve-harness.ts'
export { type SessionFile, sessionFiles } from './session-files.ts'
export { type HarnessStanding, harnessStandings } from './standings.ts'
