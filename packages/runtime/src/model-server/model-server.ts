import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Clock, fieldOf } from '../kit/index.ts'
import { createDecider, type DeciderOptions } from './decider.ts'
import { deliver } from './delivery.ts'
import { type Incoming, receive } from './incoming.ts'
import { text } from './json.ts'
import type { DialectName } from './model-request.ts'

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

/** One request as it came, of any kind. */
export interface RecordedRequest {
  /** `model`: it went to the script. The others did not. */
  readonly kind: 'model' | 'count' | 'probe' | 'unknown'
  readonly method: string
  /** Without the query, which may hold a key. */
  readonly path: string
  readonly dialect: DialectName
  /** Empty when none was sent. */
  readonly key: string
  /** Empty unless the request names one. */
  readonly model: string
  /** The names of the headers, in lower case. */
  readonly headers: readonly string[]
  /** The body as JSON; undefined when there is none. */
  readonly body: unknown
  readonly startedAt: Date
  /** When the last byte was handed over, or the connection ended. */
  readonly endedAt: Date | undefined
  /** Absent as long as nothing was answered, and for a connection that was cut. */
  readonly status: number | undefined
  /** The client went away before it had the whole answer. */
  readonly aborted: boolean
}

type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }

/** Sees every request. Must not throw. */
export interface RequestObserver {
  onRequest(request: RecordedRequest): void
  /** The same object, changed. */
  onEnd(request: RecordedRequest): void
}

interface ExchangeOptions extends DeciderOptions {
  readonly observer?: RequestObserver | undefined
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
}

type Exchange = (message: IncomingMessage, response: ServerResponse) => Promise<void>

/** One request and its answer, whatever comes. Never rejects. */
function createExchange(options: ExchangeOptions): Exchange {
  const { observer, clock, closing } = options
  const decide = createDecider(options)

  return async (message, response) => {
    const incoming = await receive(message)
    if (!incoming || response.destroyed) return
    const gone = new AbortController()
    const record = openRecord(incoming, clock)
    let isOurCut = false
    response.once('close', () => {
      record.endedAt = clock.now()
      record.status = response.headersSent ? response.statusCode : undefined
      record.aborted = !response.writableFinished && !isOurCut && !closing.aborted
      gone.abort(new Error('the client has gone'))
      observer?.onEnd(record)
    })
    observer?.onRequest(record)
    const delivery = await decide(incoming, gone.signal)
    isOurCut = delivery.kind === 'cut' || (delivery.kind === 'pieces' && delivery.broken === 'cut')
    deliver(response, delivery)
  }
}

function openRecord({ route, method, path, key, headers, body }: Incoming, clock: Clock): OpenRecord {
  const given = 'given' in route ? route.given.model : undefined
  return {
    kind: route.kind,
    method,
    path,
    dialect: route.dialect.name,
    key,
    model: given ?? text(fieldOf(body, 'model')),
    headers,
    body,
    startedAt: clock.now(),
    endedAt: undefined,
    status: undefined,
    aborted: false,
  }
}
