import { join } from 'node:path'

/** Would change the worker itself, or the provider that it asks. */
const notForTheWorker =
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_V8_COVERAGE|PI_PACKAGE_DIR|GOOGLE_GENAI_USE_VERTEXAI)$/

/**
 * The agent's, so that the SDK sees certificates and the process is known by its marker, and what keeps the SDK at home and
 * off the network. The agent's commands get the agent's own, exactly.
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

export function agentDir(home: string): string {
  return join(home, 'pi')
}
