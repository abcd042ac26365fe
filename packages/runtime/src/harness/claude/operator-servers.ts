import type { McpServerConfig, Options } from '@anthropic-ai/claude-agent-sdk'
import { type AgentServer, commandOf, toolName } from '../agent-server.ts'

export interface OperatorServers {
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>
  /** For the environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly hooks: Options['hooks']
}

/**
 * The servers of the operator as the program is told of them. That is on its command line, which everybody on the machine
 * can read: so there are only the names of variables, whose values the program fills in by itself.
 */
export function operatorServers(servers: readonly AgentServer[] = []): OperatorServers {
  const env: Record<string, string> = {}
  const hidden = (value: string): string => {
    const name = `WEAVE_MCP_${Object.keys(env).length + 1}`
    env[name] = value
    return `\${${name}}`
  }
  const hiddenAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hidden(value)]))
  const config = ({ reach }: AgentServer): McpServerConfig => {
    // Without it the first question to the model may be asked before the tools are there.
    const alwaysLoad = true
    if (reach.kind === 'http')
      return { type: 'http', url: hidden(reach.url), headers: hiddenAll(reach.headers), alwaysLoad }
    const [command, ...args] = commandOf(reach)
    return { type: 'stdio', command, args, env: hiddenAll(reach.env), alwaysLoad }
  }
  const mcpServers = Object.fromEntries(servers.map(server => [server.name, config(server)]))
  return { mcpServers, env, hooks: limits(servers) }
}

/** Which tools a server has is not known before it runs; so a tool that is not wanted is refused when it is called. */
function limits(servers: readonly AgentServer[]): Options['hooks'] {
  const limited = servers.flatMap(({ name, tools }) => (tools ? [{ name, tools }] : []))
  if (limited.length === 0) return undefined
  return {
    PreToolUse: limited.map(({ name, tools }) => {
      const allowed = new Set(tools.map(tool => toolName(name, tool)))
      return {
        matcher: `${toolName(name, '')}.*`,
        hooks: [
          async input => {
            const called = input.hook_event_name === 'PreToolUse' ? input.tool_name : ''
            if (allowed.has(called)) return {}
            return {
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'deny',
                permissionDecisionReason: `The operator allows only these tools of ${name}: ${tools.join(', ')}.`,
              },
            }
          },
        ],
      }
    }),
  }
}
