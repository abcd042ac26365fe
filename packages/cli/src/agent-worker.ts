import { runAgentWorker } from '@weave/runtime'

/** Not for people: the process in which the embedded SDK works. Ends at once when done; the SDK keeps connections open. */
export async function agentWorkerCommand(): Promise<never> {
  process.exit(await runAgentWorker())
}
