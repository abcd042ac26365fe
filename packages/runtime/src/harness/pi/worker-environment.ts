import { join } from 'node:path'

/** What is meant for the programs of the agent and would change the worker itself, or the provider that it asks. */
const notForTheWorker =
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_V8_COVERAGE|PI_PACKAGE_DIR|GOOGLE_GENAI_USE_VERTEXAI)$/

/**
 * The environment of a worker: the agent's, so that the SDK sees certificates and the like and the process is known by
 * its marker, and what keeps the SDK at home and off the network. The agent's commands do not inherit it: they get the
 * agent's own, exactly.
 */
export function workerEnvironment(
  env: Readonly<Record<string, string>>,
  home: string,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(([name]) => !notForTheWorker.test(name))
  return {
    ...Object.fromEntries(kept),
    PI_CODING_AGENT_DIR: agentDir(home),
    PI_OFFLINE: '1',
    PI_SKIP_VERSION_CHECK: '1',
    PI_TELEMETRY: '0',
  }
}

/** The SDK's own directory. */
export function agentDir(home: string): string {
  return join(home, 'pi')
}
