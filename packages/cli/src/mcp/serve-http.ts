import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createMcpHandler, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { admitFirst, createAdmission, createOriginCheck, createPeerUserCheck, listen } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { type ExitCode, exitCodes } from '../program.ts'
import { bodyOf, longestBody, sendWeb, webRequest } from './http-exchange.ts'
import { httpToken, isBearer } from './http-token.ts'
import { createServer } from './server.ts'
import type { Subscriptions } from './subscriptions.ts'
import { type Given, surroundingsOf } from './surroundings.ts'

const mostConnections = 64
const mostRequests = 32
const path = '/mcp'

/**
 * The same tools at an address of this machine, for clients that do not start programs. Whoever asks shows the token, is of
 * the same user, and is no web page of somebody else. Goes on until it is stopped by a signal.
 */
export async function serveHttp(given: Given, port: number): Promise<ExitCode> {
  const say = (line: string): void => void process.stderr.write(`weave mcp: ${harmlessLine(line)}\n`)
  const file = join(homedir(), '.weave', 'mcp-token')
  const { token, isNew } = httpToken(file)
  const opened = await listen({ port, create: () => createHttpServer(serverOptions) })
  if (!opened.ok) {
    say(`it cannot listen on port ${port} (${opened.code}). Choose another: weave mcp --http <port>`)
    return exitCodes.failed
  }
  const { at, subscriptions } = surroundingsOf(given, () => false)
  const handler = createMcpHandler(
    ({ era }) => createServer(at, era === 'modern' ? subscriptions : undefined),
    { maxRequestBodySize: longestBody, onerror: error => say(error.message) },
  )
  subscriptions.tell(async uri => handler.notify.resourceUpdated(uri))
  const admission = createAdmission({
    most: mostConnections,
    isOneOfUs: createPeerUserCheck(),
    onRefused: because => say(`a connection was refused: ${because}`),
  })
  const entry = createEntry({ port: opened.port, token, fetch: handler.fetch, subscriptions })
  for (const server of opened.servers) {
    admitFirst(server, admission)
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const)
      server.on(event, (request: IncomingMessage, response: ServerResponse) => void entry(request, response))
  }
  say(`http://127.0.0.1:${opened.port}${path}`)
  say(isNew ? `token ${token} (kept in ${file}; it is not shown again)` : `the token is in ${file}`)
  await new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  admission.close()
  subscriptions.close()
  // Calls that still wait for something must not keep the process.
  process.exit(exitCodes.done)
}

const serverOptions = { requireHostHeader: false, headersTimeout: 10_000, requestTimeout: 30_000 } as const

interface EntryOptions {
  readonly port: number
  readonly token: string
  readonly fetch: (request: Request, options: { readonly parsedBody: unknown }) => Promise<Response>
  readonly subscriptions: Subscriptions
}

/** Every request comes through here: where it comes from, whether it has the token, its size; then what it asks. */
function createEntry({ port, token, fetch, subscriptions }: EntryOptions) {
  const originCheck = createOriginCheck({ port })
  let working = 0
  let requests = 0

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    if (body === undefined) return refuse(response, 413)
    const message = parsed(body)
    if (request.method === 'POST' && message === undefined) return refuse(response, 400)
    const who = `exchange ${++requests}`
    const gone = new AbortController()
    response.once('close', () => {
      gone.abort()
      subscriptions.leave(who)
    })
    subscriptions.hear(message as JSONRPCMessage, who)
    const url = `http://127.0.0.1:${port}${path}`
    const wanted = webRequest(request, { url, body, gone: gone.signal })
    await sendWeb(await fetch(wanted, { parsedBody: message }), response)
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const status = refusalOf(request, { originCheck, token })
    if (status !== undefined) return refuse(response, status)
    if (working >= mostRequests) return refuse(response, 503)
    working++
    try {
      await answered(request, response)
    } catch {
      // A client that goes while it is read or answered.
      response.destroy()
    } finally {
      working--
    }
  }
}

function refusalOf(
  { rawHeaders, headers, url = '' }: IncomingMessage,
  { originCheck, token }: { originCheck: ReturnType<typeof createOriginCheck>; token: string },
): number | undefined {
  const valuesOf = (name: string) =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
  if (originCheck(valuesOf) !== undefined) return 403
  if (!isBearer(headers.authorization, token)) return 401
  return url.split('?')[0] === path ? undefined : 404
}

/** Nothing that would tell a stranger what is here. */
function refuse(response: ServerResponse, status: number): void {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  response.writeHead(status, { connection: 'close', 'content-length': '0', ...headers }).end()
}

function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
