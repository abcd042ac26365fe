import { join } from 'node:path'
import { credentialFor, endpointFor } from '../../models/index.ts'
import type { HarnessSurroundings } from '../harness.ts'
import { logVariables } from './provider-log.ts'

type Environment = Readonly<Record<string, string>>

export interface ChildEnvironmentOptions {
  readonly retries: number
  readonly isRoot: boolean
}

/** The codon's own, less what would lead the program elsewhere, and with what it needs to keep to itself. */
export function childEnvironment(
  { env, home, provider, autoCompact }: HarnessSurroundings,
  { retries, isRoot }: ChildEnvironmentOptions,
): Environment {
  const endpoint = endpointFor(provider, env)
  const credential = credentialFor(provider, 'codon', env)
  const left = Object.entries(env).filter(([name]) => !isForeign(name, credential.ok))
  return {
    // As long as an open tool call may take.
    BASH_MAX_TIMEOUT_MS: '1800000',
    ...Object.fromEntries(left),
    ...(credential.ok && { ANTHROPIC_API_KEY: credential.value }),
    ...(endpoint.ok && endpoint.variable !== undefined && { ANTHROPIC_BASE_URL: endpoint.root }),
    CLAUDE_CONFIG_DIR: configDirectory(home),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    // A command in the background would begin a turn of its own when it ends, also after the last one.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    ...logVariables,
    // With compaction off the program would stop by itself a good way before the window is full.
    ...(!autoCompact && {
      DISABLE_AUTO_COMPACT: '1',
      CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: '10000000',
    }),
    // Without it the program refuses to work for root. Only this value counts.
    ...(isRoot && { IS_SANDBOX: '1' }),
  }
}

/** Marks of a session of the same program around us: with them it would take itself for a part of that session. */
const sessionMarks = new Set([
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_AGENT_SDK_VERSION',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_PID',
])

/** Another way to sign in than with the key that was checked. */
const otherCredentials = new Set(['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'])

/** Another provider, past every address that was given. */
const otherProvider =
  /^CLAUDE_CODE_USE_(ANTHROPIC_AWS|ANTHROPIC_GOOGLE_CLOUD|BEDROCK|FOUNDRY|GATEWAY|MANTLE|VERTEX)$/

function isForeign(name: string, hasKey: boolean): boolean {
  return sessionMarks.has(name) || otherProvider.test(name) || (hasKey && otherCredentials.has(name))
}

export function configDirectory(home: string): string {
  return join(home, 'claude')
}
