import type { Control } from '../runner/index.ts'

/** The server listens before the runner begins, so that a port that is taken stops everything in time. */
export function createLateControl(): { readonly control: Control; is(runner: Control): void } {
  let arrive: (runner: Control) => void = () => undefined
  const coming = new Promise<Control>(resolve => {
    arrive = resolve
  })
  const control: Control = {
    submit: async command => (await coming).submit(command),
    clientArrived: () => void coming.then(runner => runner.clientArrived()),
    snapshot: async () => (await coming).snapshot(),
    checkpoints: async runId => (await coming).checkpoints(runId),
  }
  return { control, is: (runner: Control) => arrive(runner) }
}
