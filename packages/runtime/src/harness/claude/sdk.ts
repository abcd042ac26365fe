import type { Options } from '@anthropic-ai/claude-agent-sdk'
import type { HarnessSurroundings, ToolChoice } from '../harness.ts'
import { importPackage, requireHarness } from '../resolve-harness.ts'
import type { OperatorServers } from './operator-servers.ts'
import { logArgument } from './provider-log.ts'
import type { WorkspaceWords } from './workspace-words.ts'

export type Spawn = NonNullable<Options['spawnClaudeCodeProcess']>

/** What differs from session to session in the same surroundings. */
export interface SessionTask {
  readonly sessionId: string
  readonly spawn: Spawn
  readonly systemPrompt?: string | undefined
  readonly previousSessionId?: string | undefined
}

/** They are for a session that goes on by itself after its turn; a codon ends with its turn. */
const sessionTools = [
  'CronCreate',
  'CronDelete',
  'CronList',
  'Monitor',
  'ScheduleWakeup',
  'Workflow',
] as const

export interface QuerySurroundings extends Pick<HarnessSurroundings, 'cwd' | 'model' | 'env' | 'thinking'> {
  readonly tools: ToolChoice
  readonly words: Pick<WorkspaceWords, 'options' | 'instructions'>
  readonly operator: Pick<OperatorServers, 'mcpServers' | 'hooks'>
}

/**
 * Without questions, and without anything that lies about on the machine or above the workspace; mentions of files and
 * commands in a prompt are just text.
 */
export function queryOptions(
  { cwd, model, env, thinking, tools, words, operator }: QuerySurroundings,
  { sessionId, systemPrompt, previousSessionId, spawn }: SessionTask,
): Options {
  const append = [words.instructions, systemPrompt].filter(text => text !== undefined).join('\n\n')
  return {
    cwd,
    env: { ...env },
    model,
    ...effortOf(thinking),
    ...toolOptions(tools),
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    ...words.options,
    mcpServers: { ...words.options.mcpServers, ...operator.mcpServers },
    ...(operator.hooks && { hooks: operator.hooks }),
    verbatimPrompts: true,
    includePartialMessages: true,
    // Without its words, what an agent inside the agent used up is not told either.
    forwardSubagentText: true,
    extraArgs: { [logArgument]: null },
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      ...(append !== '' && { append }),
      // A recorded prompt would win over that of every later codon of the conversation.
      snapshot: false,
    },
    // A fork leaves the earlier session as it is, for a retry or a rollback to begin from it again.
    ...(previousSessionId !== undefined && { resume: previousSessionId, forkSession: true }),
    sessionId,
    spawnClaudeCodeProcess: spawn,
  }
}

function toolOptions({ allow, deny }: ToolChoice): Pick<Options, 'tools' | 'disallowedTools'> {
  if (allow) return { tools: [...allow], disallowedTools: [...deny] }
  return { tools: { type: 'preset', preset: 'claude_code' }, disallowedTools: [...sessionTools, ...deny] }
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
