import type { Runner } from './runner/index.ts'

/** The server listens before the runner begins, so that a port that is taken stops everything in time. */
export function createLateControl(): { readonly control: Runner; is(runner: Runner): void } {
  let arrive: (runner: Runner) => void = () => undefined
  const coming = new Promise<Runner>(resolve => {
    arrive = resolve
  })
  const control: Runner = {
    done: coming.then(({ done }) => done),
    submit: async command => (await coming).submit(command),
    clientArrived: () => void coming.then(runner => runner.clientArrived()),
    shutdown: reason => void coming.then(runner => runner.shutdown(reason)),
    snapshot: async () => (await coming).snapshot(),
    checkpoints: async runId => (await coming).checkpoints(runId),
  }
  return { control, is: (runner: Runner) => arrive(runner) }
}
