/**
 * Sentinels: observers that watch a codon through its events and say something about it.
 *
 * Owns what wakes a sentinel, when it goes to work, how its prompt is filled in, what it remembers, where it writes, and
 * its life from loading to unloading. It is given events and functions; it does not know the journal, the server or the
 * runner, changes no state itself, and never makes the codon wait while it runs.
 */

export {
  codonRuns,
  followsFromSentinel,
  isReported,
  type ObservedEvent,
  type SentinelEventType,
  startOf,
} from './events.ts'
export { accessFrom } from './model-calls.ts'
export type { SentinelSettings } from './options.ts'
export { workspaceOutputs } from './outputs.ts'
export type { SandboxEntry } from './sandbox.ts'
export { runSandboxWorker } from './sandbox-worker.ts'
export { Sentinels } from './sentinels.ts'
export { createTest, createTrigger } from './trigger.ts'
export { openWorkbench, type Trial } from './workbench.ts'
