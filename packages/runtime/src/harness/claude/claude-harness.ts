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
  readonly graceMs?: number
  /** How often the SDK itself asks the provider again. */
  readonly retries?: number
  /** Rejects when the SDK is not there. */
  readonly load?: () => Promise<SdkModule>
}

/**
 * Agents on the Claude Agent SDK, which starts a program for each task. Nothing of the SDK is loaded before it is needed.
 * What the program keeps lies under `home`; no other settings, memory files or servers are read, and it talks to nobody but
 * the provider.
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

/** Made before the program makes it, which would let everybody in. Where that fails the program says why. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch {
    return
  }
}
