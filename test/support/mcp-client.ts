import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { launcher, type Surrounding } from './weave-command.ts'

/** `newer`: the protocol of 2026, `legacy`: that of 2025 by the same SDK, `older`: by the SDK before it. */
export type Era = 'newer' | 'legacy' | 'older'
export const eras: readonly Era[] = ['newer', 'legacy', 'older']

export interface ToolResult {
  readonly isError?: boolean | undefined
  readonly structuredContent: Readonly<Record<string, unknown>> & {
    readonly error?: { readonly code: string; readonly message: string; readonly token?: string }
  }
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[]
}

export interface McpOptions {
  readonly era?: Era
  readonly words?: readonly string[]
  readonly program?: string
  /** What starts it, such as a tracer with its words. */
  readonly through?: readonly [string, ...string[]]
  /** What the person says when asked; absent: nobody can be asked. */
  readonly says?: (message: string) => Said
  /** A server that listens, instead of one that is started. */
  readonly http?: { readonly url: string; readonly token: string }
  readonly onUpdated?: (uri: string) => void
}

/** To a question of yes or no, or what is filled into a form. */
export type Said = 'yes' | 'no' | 'decline' | Readonly<Record<string, string>>

/** A client of `weave mcp`, of one of the SDKs that people use. */
export interface McpClient {
  call(name: string, args?: object, onProgress?: (message: string) => void): Promise<ToolResult>
  tools(): Promise<readonly { readonly name: string }[]>
  read(uri: string): Promise<{ readonly text?: string | undefined; readonly blob?: string | undefined }>
  resources(): Promise<readonly string[]>
  prompts(): Promise<readonly string[]>
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<string>
  subscribe(uri: string): Promise<void>
  readonly pid: number
  close(): Promise<void>
}

export async function mcpClient(at: Surrounding, options: McpOptions = {}): Promise<McpClient> {
  const { era = 'newer', words = [], program = launcher, through } = options
  const [command, ...before] = [...(through ?? []), process.execPath] as [string, ...string[]]
  const server = {
    command,
    args: [...before, program, 'mcp', ...words],
    cwd: at.cwd,
    env: { PATH: process.env['PATH'] ?? '', ...at.env },
    stderr: 'inherit' as const,
  }
  const client = era === 'older' ? await older(server, options) : await newer(server, era, options)
  onTestFinished(() => client.close())
  return client
}

type Server = ConstructorParameters<typeof StdioClientTransport>[0]

const info = { name: 'test', version: '1' }
const capabilitiesOf = ({ says }: McpOptions) => ({ capabilities: says ? { elicitation: { form: {} } } : {} })
const longest = 120_000

function answerOf(said: Said) {
  if (said === 'decline') return { action: 'decline' as const }
  if (typeof said === 'object') return { action: 'accept' as const, content: { ...said } }
  return { action: 'accept' as const, content: { confirm: said === 'yes' } }
}

type HttpTransport<T> = new (
  url: URL,
  options: { readonly requestInit: { readonly headers: Record<string, string> } },
) => T

function httpTransport<T>({ url, token }: NonNullable<McpOptions['http']>, Made: HttpTransport<T>): T {
  return new Made(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
}

async function newer(server: Server, era: Era, options: McpOptions): Promise<McpClient> {
  const stdio = new StdioClientTransport(server)
  const transport = options.http ? httpTransport(options.http, StreamableHTTPClientTransport) : stdio
  const mode = era === 'newer' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client(info, { ...capabilitiesOf(options), versionNegotiation: { mode } })
  const { says, onUpdated } = options
  if (says) client.setRequestHandler('elicitation/create', ({ params }) => answerOf(says(params.message)))
  if (onUpdated)
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdated(params.uri))
  await client.connect(transport)
  return {
    get pid() {
      return stdio.pid ?? 0
    },
    async call(name, args, onProgress) {
      const onprogress =
        onProgress && (({ message = '' }: { message?: string | undefined }) => onProgress(message))
      const given = { name, arguments: { ...args } }
      const result = await client.callTool(given, { timeout: longest, ...(onprogress && { onprogress }) })
      return result as unknown as ToolResult
    },
    tools: async () => (await client.listTools()).tools,
    read: async uri => (await client.readResource({ uri })).contents[0] as { text?: string; blob?: string },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) => JSON.stringify(await client.getPrompt({ name, arguments: args })),
    async subscribe(uri) {
      if (era === 'legacy') await client.subscribeResource({ uri })
      else await client.listen({ resourceSubscriptions: [uri] })
    },
    close: () => client.close(),
  }
}

async function older(server: Server, options: McpOptions): Promise<McpClient> {
  const stdio = new OlderTransport({ ...server, stderr: 'inherit' })
  const transport = options.http ? httpTransport(options.http, OlderHttp) : stdio
  const client = new OlderClient(info, capabilitiesOf(options))
  const { says, onUpdated } = options
  if (says) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(says(params.message)))
  if (onUpdated)
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdated(params.uri))
  await client.connect(transport)
  return {
    get pid() {
      return stdio.pid ?? 0
    },
    async call(name, args, onProgress) {
      const onprogress =
        onProgress && (({ message = '' }: { message?: string | undefined }) => onProgress(message))
      const given = { name, arguments: { ...args } }
      const more = { timeout: longest, ...(onprogress && { onprogress }) }
      return (await client.callTool(given, undefined, more)) as unknown as ToolResult
    },
    tools: async () => (await client.listTools()).tools,
    read: async uri => (await client.readResource({ uri })).contents[0] as { text?: string; blob?: string },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) => JSON.stringify(await client.getPrompt({ name, arguments: args })),
    subscribe: async uri => void (await client.subscribeResource({ uri })),
    close: () => client.close(),
  }
}
