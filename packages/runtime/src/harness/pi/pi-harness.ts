import { type Clock, type LaunchOptions, systemClock } from '../../kit/index.ts'
import { failedWith, stopped } from '../failure.ts'
import type { Harness, HarnessEvent, HarnessSpec, HarnessSurroundings } from '../harness.ts'
import { runWorker } from './run.ts'
import { type ModelFacts, taskFor } from './task-for.ts'
import { workerEnvironment } from './worker-environment.ts'
import { startWorker, type WorkerCommand, type WorkerProcess } from './worker-process.ts'

export interface EmbeddedHarnessOptions extends Pick<LaunchOptions, 'own'> {
  readonly worker: WorkerCommand
  /** For models that are newer than the catalogue of the SDK. */
  readonly factsOf?: ModelFacts
  readonly clock?: Clock
}

/**
 * Agents on the Pi SDK, each in a process of its own: the SDK gives its commands the environment of its process, and a
 * process can be ended whatever it does.
 */
export function createEmbeddedHarness(options: EmbeddedHarnessOptions): Harness {
  const { worker: command, factsOf = () => undefined, own, clock = systemClock } = options
  let ready: { readonly name: string; readonly worker: WorkerProcess } | undefined
  const leaving = new Set<Promise<void>>()

  function launch({ cwd, env, home, marker }: HarnessSurroundings): WorkerProcess {
    return startWorker({ ...command, cwd, env: workerEnvironment(env, home), marker, clock, own })
  }

  function dismiss(): void {
    if (!ready) return
    const gone = ready.worker.discard().finally(() => leaving.delete(gone))
    leaving.add(gone)
    ready = undefined
  }

  /** The worker made ready for just this, if it is still there. */
  function take(surroundings: HarnessSurroundings): WorkerProcess | undefined {
    if (!ready || ready.worker.end || ready.name !== nameOf(surroundings)) return undefined
    const { worker } = ready
    ready = undefined
    return worker
  }

  async function* start(spec: HarnessSpec, signal: AbortSignal): AsyncGenerator<HarnessEvent> {
    const made = taskFor(spec, factsOf)
    if (!made.ok || signal.aborted) {
      dismiss()
      yield { type: 'ended', end: made.ok ? stopped : failedWith({ kind: 'launch', message: made.message }) }
      return
    }
    const run = { spec, task: made.task, signal }
    const prepared = take(spec)
    dismiss()
    if (prepared && (yield* runWorker(prepared, { ...run, isReplaceable: true }))) return
    yield* runWorker(launch(spec), { ...run, isReplaceable: false })
  }

  return {
    prepare(surroundings) {
      dismiss()
      ready = { name: nameOf(surroundings), worker: launch(surroundings) }
    },
    start,
    async close() {
      dismiss()
      await Promise.all(leaving)
    },
  }
}

/** Equal for surroundings in which a worker cannot tell the difference. */
function nameOf({ codonId, provider, model, cwd, env, home, autoCompact }: HarnessSurroundings): string {
  const variables = Object.entries(env).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([codonId, provider, model, cwd, home, autoCompact, variables])
}
