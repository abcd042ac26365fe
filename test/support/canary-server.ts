import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

/** Stands where a real provider would be, and remembers every connection. Nobody must come. */
export interface CanaryServer {
  readonly port: number
  readonly url: string
  /** Requests, and connections without one. */
  readonly visits: readonly string[]
}

export async function startCanary(): Promise<CanaryServer> {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    response.writeHead(500).end('{}')
  })
  server.on('connection', () => void visits.push('a connection'))
  server.on('connect', (request, socket) => {
    visits.push(`CONNECT ${request.url}`)
    socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { port, url: `http://127.0.0.1:${port}`, visits }
}
