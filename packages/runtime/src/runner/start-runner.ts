import { Machine } from './run.ts'
import type { Runner, RunnerOptions } from './runner.ts'

export function startRunner(options: RunnerOptions): Runner {
  const machine = new Machine(options)
  const done = machine.loop()
  let leave: (reason: string | undefined) => void = () => undefined
  const leaving = new Promise<string | undefined>(resolve => {
    leave = resolve
  })
  return {
    done,
    leaving,
    submit(command, by) {
      // Before it is queued: the machine may be busy with something that hangs.
      if (command.type === 'server.shutdown') leave(command.data.reason)
      return machine.submit(command, by)
    },
    clientArrived: () => machine.put({ type: 'client' }),
    rule: deed => void machine.put({ type: 'rule', deed }),
    shutdown(reason) {
      leave(reason)
      machine.put({ type: 'shutdown', reason })
    },
    snapshot: () => machine.snapshot(),
    checkpoints: runId => machine.checkpoints(runId),
  }
}
