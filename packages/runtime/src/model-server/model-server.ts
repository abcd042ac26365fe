import { createServer } from 'node:http'
import type { DeciderOptions } from './decider.ts'
import { createExchange, type RequestObserver } from './exchange.ts'

export interface ModelServerOptions extends DeciderOptions {
  /** By default any free one. */
  readonly port?: number
  readonly observer?: RequestObserver | undefined
}

/** A model on 127.0.0.1 that does what a script says. It answers in the dialect in which it is asked. */
export interface ModelServer extends AsyncDisposable {
  /** The root of every dialect, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Ends every connection, also those that hang. Idempotent, never rejects. */
  close(): Promise<void>
}

/** Rejects when the port cannot be had. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const closing = new AbortController()
  const exchange = createExchange({ ...options, closing: closing.signal })
  const server = createServer((request, response) => void exchange(request, response))
  // A client must never find its kept connection closed under a request that it just sent.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  let closed: Promise<void> | undefined
  function close(): Promise<void> {
    closed ??= new Promise(resolve => {
      closing.abort(new Error('the model server is closing'))
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closed
  }

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close,
    [Symbol.asyncDispose]: close,
  }
}
