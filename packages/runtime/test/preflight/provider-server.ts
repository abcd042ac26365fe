import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly method: string
  /** Path and query, as they came. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ProviderServer {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string
  readonly host: string
  readonly received: readonly Received[]
  /** Resolves as soon as that many requests have come. */
  until(count: number): Promise<void>
}

export type Responder = (received: Received, response: ServerResponse) => void

/** A server on loopback that writes down what it is asked. Gone when the test ends. */
export async function startProvider(respond: Responder): Promise<ProviderServer> {
  const received: Received[] = []
  const watchers = new Set<() => void>()
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const one = { method, path: url, headers, body: await text(request) }
    received.push(one)
    for (const watcher of watchers) watcher()
    respond(one, response)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const until = (count: number) =>
    new Promise<void>(resolve => {
      const look = () => {
        if (received.length >= count) resolve()
      }
      watchers.add(look)
      look()
    })
  return { origin: `http://${host}`, host, received, until }
}

/** A host and port where nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `127.0.0.1:${port}`
}

export function says(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Responder {
  return (_received, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** What every provider that is known would answer, all in one. */
export const content: Responder = says(200, {
  id: 'm',
  name: 'models/m',
  input_tokens: 8,
  data: { label: 'k' },
})

/** Takes the request and never says a word. */
export const hangs: Responder = () => undefined
