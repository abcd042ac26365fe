import { runAgentWorker } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'

/** Not for people: the process in which the embedded SDK works. Ends at once when done; the SDK keeps connections open. */
export async function agentWorkerCommand({ positionals: [home] }: Arguments): Promise<never> {
  process.exit(await runAgentWorker(home))
}
