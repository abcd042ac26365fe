import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Answer } from './answers.ts'
import { fitted } from './answers.ts'
import type { NamedExecution } from './places.ts'
import { addressOfExecution, executionsAddress } from './resource-addresses.ts'
import type { Surroundings } from './tool.ts'

const living = { ttlMs: 1_000, cacheScope: 'private' } as const
const lasting = { ttlMs: 3_600_000, cacheScope: 'private' } as const
const json = 'application/json'
const mostListed = 50

/**
 * What can be read without a tool: executions, their journals, checkpoints and reports, and the schemas of files. How they
 * are found and read is loaded when somebody asks.
 */
export function registerResources(server: McpServer, at: Surroundings): void {
  registerLists(server, at)
  registerParts(server, at)
  registerSchemas(server)
}

function registerLists(server: McpServer, at: Surroundings): void {
  server.registerResource(
    'executions',
    executionsAddress,
    { title: 'Executions', description: 'newest first', mimeType: json, cacheHint: living },
    async uri => {
      const { listAll } = await import('./tools/executions.ts')
      return jsonOf(uri, await listAll({ skip: 0 }, at, noCall), 'executions')
    },
  )
  const names = async (): Promise<readonly string[]> => (await import('./places.ts')).executionNames(at)
  const complete = {
    name: async (word: string) => (await names()).filter(name => name.startsWith(word)).slice(0, mostListed),
  }
  const list = async () => ({
    resources: (await names())
      .slice(0, mostListed)
      .map(name => ({ uri: addressOfExecution(name), name, mimeType: json })),
  })
  server.registerResource(
    'execution',
    new ResourceTemplate(`${executionsAddress}/{name}`, { list, complete }),
    { title: 'Execution', description: 'can be subscribed to', mimeType: json, cacheHint: living },
    async (uri, { name }) => {
      const named = await known(uri, name, at)
      const { executionView } = await import('./tools/executions.ts')
      return jsonOf(uri, { kind: 'value', value: await executionView(named) }, 'codons')
    },
  )
}

function registerParts(server: McpServer, at: Surroundings): void {
  const template = (rest: string) =>
    new ResourceTemplate(`${executionsAddress}/{name}/${rest}`, { list: undefined })
  server.registerResource(
    'journal',
    template('journal{?since,limit}'),
    {
      title: 'Journal',
      description: 'events after a number, one line each',
      mimeType: json,
      cacheHint: living,
    },
    async (uri, { name, since, limit }) => {
      const named = await known(uri, name, at)
      const { pageOf } = await import('./tools/journal.ts')
      const query = { since: numberIn(since, 0), limit: Math.min(500, numberIn(limit, 100)), full: false }
      return jsonOf(uri, { kind: 'value', value: await pageOf(named.layout, query, at) }, 'events')
    },
  )
  server.registerResource(
    'checkpoints',
    template('checkpoints'),
    { title: 'Checkpoints', mimeType: json, cacheHint: living },
    async (uri, { name }) => {
      const named = await known(uri, name, at)
      const { listCheckpoints } = await import('./tools/versions.ts')
      return jsonOf(uri, await listCheckpoints({ execution: named.name, skip: 0 }, at, noCall), 'checkpoints')
    },
  )
  server.registerResource(
    'report',
    template('report'),
    { title: 'Report', description: 'one page for a browser', mimeType: 'text/html', cacheHint: living },
    async (uri, { name }) => {
      const named = await known(uri, name, at)
      const { reportHtml } = await import('../report/html-report.ts')
      const page = await reportHtml(named.layout)
      if (!page.ok) throw new ResourceNotFoundError(uri.href, page.message)
      return { contents: [{ uri: uri.href, mimeType: 'text/html', text: page.text }] }
    },
  )
  server.registerResource(
    'file',
    template('files/{sha}{?path}'),
    { title: 'File at a checkpoint', description: 'its bytes', cacheHint: living },
    async (uri, { name, sha, path }) => {
      const named = await known(uri, name, at)
      const { fileBytes } = await import('./tools/versions.ts')
      const bytes = await fileBytes(named, textIn(sha), textIn(path))
      if (!bytes) throw new ResourceNotFoundError(uri.href)
      const mimeType = 'application/octet-stream'
      return { contents: [{ uri: uri.href, mimeType, blob: bytes.toString('base64') }] }
    },
  )
}

const schemaNames = ['hank', 'weave', 'sentinel', 'rehearsal'] as const

function registerSchemas(server: McpServer): void {
  for (const kind of schemaNames)
    server.registerResource(
      `schema-${kind}`,
      `weave://schemas/${kind}`,
      { title: `JSON Schema of ${kind}`, mimeType: json, cacheHint: lasting },
      async uri => {
        const { schemaText } = await import('./schema-text.ts')
        return { contents: [{ uri: uri.href, mimeType: json, text: schemaText(kind) }] }
      },
    )
}

const noCall = {
  signal: new AbortController().signal,
  progress: () => undefined,
  canAsk: false,
  said: undefined,
}

type Variable = string | readonly string[] | undefined

/** As it stands in an address; what is encoded wrongly names nothing. */
function textIn(variable: Variable): string {
  const text = typeof variable === 'string' ? variable : (variable?.[0] ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function numberIn(variable: Variable, otherwise: number): number {
  const number = variable === undefined ? otherwise : Number(textIn(variable))
  return Number.isSafeInteger(number) && number >= 0 ? number : otherwise
}

async function known(uri: URL, name: Variable, at: Surroundings): Promise<NamedExecution> {
  const { executionNamed } = await import('./places.ts')
  const named = await executionNamed(textIn(name), at)
  if (!named.ok) throw new ResourceNotFoundError(uri.href)
  return named
}

function jsonOf(uri: URL, answer: Answer, field: string) {
  const value = answer.kind === 'value' ? answer.value : answer
  const text = JSON.stringify(fitted(value, { field, next: () => null }))
  return { contents: [{ uri: uri.href, mimeType: json, text }] }
}
