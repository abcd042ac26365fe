import { mkdirSync } from 'node:fs'
import { type Clock, type LaunchOptions, type Log, silentLog, systemClock } from '../../kit/index.ts'
import type { Harness, HarnessSurroundings } from '../harness.ts'
import { startAgentProcess } from './agent-process.ts'
import { childEnvironment, configDirectory } from './child-environment.ts'
import { runAgent } from './run.ts'
import { loadSdk, queryOptions, type SdkModule } from './sdk.ts'
import { createWarmStart, type Launch } from './warm-start.ts'

export interface SdkHarnessOptions extends Pick<LaunchOptions, 'own'> {
  readonly clock?: Clock
  readonly log?: Log
  /** How long an agent that is being stopped may take before it is killed. */
  readonly graceMs?: number
  /** How often the SDK itself asks the provider again before it gives up. */
  readonly retries?: number
  /** Rejects when the SDK is not there. */
  readonly load?: () => Promise<SdkModule>
}

/**
 * Runs agents with the Claude Agent SDK, which starts the agent program as a process for each task.
 *
 * Nothing of the SDK is loaded before the first `prepare` or `start`. What the program keeps lies under the `home` of the
 * task; its settings, memory files and servers anywhere else are not read, and it talks to nobody but the provider.
 */
export function createSdkHarness(options: SdkHarnessOptions = {}): Harness {
  const { clock = systemClock, log = silentLog, graceMs = 5_000, retries = 2, load = loadSdk, own } = options
  const warm = createWarmStart(load)

  function launchFor(surroundings: HarnessSurroundings): Launch {
    const env = childEnvironment(surroundings, { retries, isRoot: process.getuid?.() === 0 })
    const { marker, home, cwd: premises } = surroundings
    makePrivate(configDirectory(home))
    return {
      options: task => queryOptions({ ...surroundings, env }, task),
      startProcess: ({ command, args, cwd, env }) =>
        startAgentProcess({ command, args, cwd, env, marker, premises, clock, graceMs, own }),
    }
  }

  return {
    prepare: surroundings => warm.prepare(launchFor(surroundings)),
    start: (spec, signal) => runAgent({ spec, signal, launch: launchFor(spec), warm, load, clock, log }),
    close: warm.close,
  }
}

/** Made before the program makes it, which would let everybody in. Where that fails the program says itself why. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch {
    return
  }
}
