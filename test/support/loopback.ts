import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Lets a server listen on any free port of loopback until the test ends. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** An HTTP server on loopback, and how often it was asked for what. */
export interface LoopbackServer {
  readonly port: number
  readonly url: string
  /** `POST /v1/messages`, in the order in which they came. */
  readonly asked: readonly string[]
}

export async function httpOnLoopback(answer: RequestListener): Promise<LoopbackServer> {
  const asked: string[] = []
  const port = await listenOnLoopback(
    createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      answer(request, response)
    }),
  )
  return { port, url: `http://127.0.0.1:${port}`, asked }
}

/** Answers every request the same, in JSON. */
export function answering(status: number, body: object): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}
