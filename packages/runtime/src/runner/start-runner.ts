import { Machine } from './run.ts'
import type { Runner, RunnerOptions } from './runner.ts'

export function startRunner(options: RunnerOptions): Runner {
  const machine = new Machine(options)
  const done = machine.loop()
  return {
    done,
    submit: command => machine.submit(command),
    clientArrived: () => machine.put({ type: 'client' }),
    shutdown: reason => machine.put({ type: 'shutdown', reason }),
    snapshot: () => machine.snapshot(),
    checkpoints: runId => machine.checkpoints(runId),
  }
}
