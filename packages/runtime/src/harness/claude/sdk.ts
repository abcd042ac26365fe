import type { Options } from '@anthropic-ai/claude-agent-sdk'
import type { HarnessSurroundings } from '../harness.ts'
import { importPackage, requireHarness } from '../resolve-harness.ts'
import { logArgument } from './provider-log.ts'

export type Spawn = NonNullable<Options['spawnClaudeCodeProcess']>

/** What differs from session to session in the same surroundings. */
export interface SessionTask {
  readonly sessionId: string
  readonly spawn: Spawn
  readonly systemPrompt?: string | undefined
  readonly previousSessionId?: string | undefined
}

/**
 * With our tools only, without questions, and without anything that lies about on the machine or in the workspace (settings,
 * memory files, servers, file mentions and commands in a prompt).
 */
export function queryOptions(
  { cwd, model, env, thinking }: Pick<HarnessSurroundings, 'cwd' | 'model' | 'env' | 'thinking'>,
  { sessionId, systemPrompt, previousSessionId, spawn }: SessionTask,
): Options {
  return {
    cwd,
    env: { ...env },
    model,
    ...effortOf(thinking),
    tools: ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'],
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    settingSources: [],
    strictMcpConfig: true,
    verbatimPrompts: true,
    includePartialMessages: true,
    extraArgs: { [logArgument]: null },
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      ...(systemPrompt !== undefined && { append: systemPrompt }),
      // A recorded prompt would win over that of every later codon of the conversation.
      snapshot: false,
    },
    // A fork leaves the earlier session as it is, for a retry or a rollback to begin from it again.
    ...(previousSessionId !== undefined && { resume: previousSessionId, forkSession: true }),
    sessionId,
    spawnClaudeCodeProcess: spawn,
  }
}

function effortOf(level: HarnessSurroundings['thinking']): Pick<Options, 'effort' | 'thinking'> {
  if (level === undefined) return {}
  if (level === 'off') return { thinking: { type: 'disabled' } }
  return { effort: level === 'minimal' ? 'low' : level }
}

/** Optional and heavy, so nothing of it is loaded before it is needed. */
export type SdkModule = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>

/** To choose its program the SDK asks Node for a report, which would look up the name of every open connection. */
export async function loadSdk(): Promise<SdkModule> {
  const folders = requireHarness('claude')
  Object.assign(process.report, { excludeNetwork: true })
  return importPackage(folders['@anthropic-ai/claude-agent-sdk'] ?? '') as Promise<SdkModule>
}
