import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'

/** A real HTTP server that webhooks are sent to. */
export interface WebhookServer {
  readonly url: string
  readonly received: readonly ReceivedHook[]
  /** Resolves when so many requests have come. */
  readonly until: (count: number) => Promise<void>
}

export interface ReceivedHook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Milliseconds of the wall clock. */
  readonly at: number
}

/** `answer`: the status for the n-th request, from 1; 0 hangs up. */
export async function startWebhookServer(
  answer: (count: number) => number = () => 204,
): Promise<WebhookServer> {
  const received: ReceivedHook[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      received.push({ path: request.url ?? '', headers: request.headers, body, at: Date.now() })
      const status = answer(received.length)
      if (status === 0) response.destroy()
      else response.writeHead(status, { location: '/elsewhere' }).end()
      for (const check of waiting) check()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    until: count =>
      new Promise(resolve => {
        const check = (): void => {
          if (received.length >= count) resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
