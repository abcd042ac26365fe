import type { Client } from '@modelcontextprotocol/client'
import { fieldsOf, listOf, messageOf, textOf } from '../../../kit/index.ts'
import { type AgentServer, type ServerProcess, toolName } from '../../agent-server.ts'
import type { AgentTask } from '../worker-protocol.ts'
import type { Sdk } from './open-session.ts'

type Tool = ReturnType<Sdk['agent']['defineTool']>

export interface ServerToolsOptions {
  readonly sdk: Pick<Sdk, 'agent'>
  readonly task: Pick<AgentTask, 'servers' | 'cwd' | 'env'>
  /** Not the one that is watched for the provider. */
  readonly fetch: typeof globalThis.fetch
  /** Told of a server that cannot be had: the agent works without it. */
  readonly onTrouble: (server: string, message: string) => void
}

const connectMs = 30_000
/** As long as an open tool call may take. */
const callMs = 1_800_000
const longestName = 64
/** Of what one call returns, in characters: more would fill the window. */
const longestText = 100_000

/**
 * The tools of the servers that the operator named, for an agent that knows no servers by itself. The servers are children of
 * this process and end with it. Never rejects.
 */
export async function serverTools(options: ServerToolsOptions): Promise<readonly Tool[]> {
  const { servers = [] } = options.task
  if (servers.length === 0) return []
  const found = await Promise.all(
    servers.map(async server => {
      try {
        return await toolsOf(server, options)
      } catch (error) {
        options.onTrouble(server.name, messageOf(error))
        return []
      }
    }),
  )
  return found.flat()
}

async function toolsOf(server: AgentServer, options: ServerToolsOptions): Promise<readonly Tool[]> {
  const client = await connect(server, options)
  const { tools } = await client.listTools(undefined, { timeout: connectMs })
  const allowed = tools.filter(({ name }) => server.tools?.includes(name) ?? true)
  return allowed.map(({ name, description = '', inputSchema }) =>
    options.sdk.agent.defineTool({
      name: toolName(server.name, name).slice(0, longestName),
      label: name,
      description,
      // A plain JSON Schema is what the SDK hands on to the provider.
      parameters: inputSchema,
      async execute(_, input, signal) {
        const given = { name, arguments: { ...fieldsOf(input) } }
        const result = await client.callTool(given, { timeout: callMs, ...(signal && { signal }) })
        return resultOf(result)
      },
    }),
  )
}

async function connect({ reach }: AgentServer, { task, fetch }: ServerToolsOptions): Promise<Client> {
  if (reach.kind === 'process') return connectProcess(reach, task)
  const mcp = await import('@modelcontextprotocol/client')
  const client = new mcp.Client(info, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { ...reach.headers } }
  const transport = new mcp.StreamableHTTPClientTransport(new URL(reach.url), { requestInit, fetch })
  await client.connect(transport, { timeout: connectMs })
  return client
}

/**
 * The older handshake first: nearly every program answers it, and one that is asked for the newer protocol in vain has to be
 * started a second time.
 */
async function connectProcess(reach: ServerProcess, task: ServerToolsOptions['task']): Promise<Client> {
  const { Client: McpClient, ProtocolError } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const [command, ...args] = reach.command
  const { cwd = task.cwd } = reach
  const env = { ...task.env, ...reach.env }
  const connected = async (mode: 'legacy' | 'auto'): Promise<Client> => {
    const client = new McpClient(info, { versionNegotiation: { mode } })
    const transport = new StdioClientTransport({ command, args, cwd, env, stderr: 'ignore' })
    await client.connect(transport, { timeout: connectMs })
    return client
  }
  return connected('legacy').catch((error: unknown) => {
    if (error instanceof ProtocolError) return connected('auto')
    throw error
  })
}

const info = { name: 'weave', version: '1' }

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string }

/** Throws what the server calls an error, as the SDK wants it. */
function resultOf(result: unknown): { content: Content[]; details: unknown } {
  const { isError, content, structuredContent } = fieldsOf(result)
  const parts = listOf(content).map(partOf)
  const shown =
    parts.length === 0 && structuredContent !== undefined
      ? [textPart(JSON.stringify(structuredContent))]
      : parts
  if (isError === true) throw new Error(shown.map(part => ('text' in part ? part.text : '')).join('\n'))
  return { content: shown, details: undefined }
}

function partOf(raw: unknown): Content {
  const part = fieldsOf(raw)
  const { type, text, data, mimeType } = part
  if (type === 'image' && typeof data === 'string')
    return { type: 'image', data, mimeType: textOf(mimeType) ?? 'image/png' }
  return textPart(type === 'text' ? (textOf(text) ?? '') : JSON.stringify(part))
}

function textPart(text: string): Content {
  const more = text.length - longestText
  return { type: 'text', text: more <= 0 ? text : `${text.slice(0, longestText)}… [${more} characters more]` }
}
