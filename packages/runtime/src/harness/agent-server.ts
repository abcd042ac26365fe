/** An MCP server whose tools an agent gets, besides its own. What is in `env`, `url` and `headers` may be secret. */
export interface AgentServer {
  readonly name: string
  /** The only tools that the agent may use. Absent: all. */
  readonly tools?: readonly string[] | undefined
  readonly reach: ServerProcess | ServerAddress
}

/** Started for the agent, in its group and with its marker, and ended with it. */
export interface ServerProcess {
  readonly kind: 'process'
  readonly command: readonly [string, ...string[]]
  /** Above the environment of the codon. */
  readonly env: Readonly<Record<string, string>>
  /** Absent: where the agent works. */
  readonly cwd?: string | undefined
}

export interface ServerAddress {
  readonly kind: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What the model calls the tools of a server, whichever agent it works through. */
export function toolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

/** The command for agents that start a server where they work themselves, and nowhere else. */
export function commandOf({ command, cwd }: ServerProcess): readonly [string, ...string[]] {
  return cwd === undefined ? command : ['sh', '-c', 'cd -- "$1" && shift && exec "$@"', 'sh', cwd, ...command]
}
