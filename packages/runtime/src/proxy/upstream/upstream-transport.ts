import type { Clock, Log } from '../../kit/index.ts'
import type { OutgoingRequest, Receiver, Sending, Transport } from '../transport.ts'
import { headText } from '../wire/head-text.ts'
import { createConnector } from './connector.ts'
import type { OutboundProxy } from './outbound-proxy.ts'
import type { UpstreamAddress } from './upstream-address.ts'
import { type Job, UpstreamConnection } from './upstream-connection.ts'

export interface UpstreamTransportOptions {
  readonly upstream: UpstreamAddress
  readonly proxy: OutboundProxy | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly clock: Clock
}

interface Idle {
  readonly connection: UpstreamConnection
  /** A moment of the monotonic clock. */
  readonly until: number
}

const tag = 'PROXY-HTTP-TRANSPORT'
const mostIdle = 64

/**
 * Sends to one address and to no other. Follows no redirect and tries nothing twice, with one exception: a request that may
 * be repeated and met an idle connection just as it was closed goes out once more.
 */
export function createUpstreamTransport(options: UpstreamTransportOptions): Transport {
  const { upstream, log, clock } = options
  const connect = createConnector(options)
  const all = new Set<UpstreamConnection>()
  const idle: Idle[] = []
  let isClosed = false

  const events = {
    idle(connection: UpstreamConnection, forMs: number): void {
      if (isClosed || idle.length >= mostIdle) connection.destroy()
      else idle.push({ connection, until: clock.monotonic() + forMs })
    },
    closed(connection: UpstreamConnection): void {
      all.delete(connection)
      const at = idle.findIndex(each => each.connection === connection)
      if (at !== -1) idle.splice(at, 1)
    },
  }

  function take(): UpstreamConnection | undefined {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (found.connection.isUsable && found.until > clock.monotonic()) return found.connection
      found.connection.destroy()
    }
    return undefined
  }

  const stopSweeping = clock.every(1_000, () => {
    const now = clock.monotonic()
    for (const { connection } of idle.filter(({ until }) => until <= now)) connection.destroy()
  })

  async function open(): Promise<UpstreamConnection> {
    const connection = new UpstreamConnection(await connect(), events)
    all.add(connection)
    log.info(tag, `connected to ${upstream.host}`)
    if (isClosed) connection.destroy()
    return connection
  }

  return {
    send: (request, receiver) =>
      startSending({ request, receiver, text: textOf(request, upstream), take, open }),
    close() {
      isClosed = true
      stopSweeping()
      for (const connection of all) connection.destroy()
    },
  }
}

interface Start {
  readonly request: OutgoingRequest
  readonly receiver: Receiver
  readonly text: string
  readonly take: () => UpstreamConnection | undefined
  readonly open: () => Promise<UpstreamConnection>
}

function startSending({ request, receiver, text, take, open }: Start): Sending {
  const found = take()
  const job: Job = {
    request,
    receiver,
    text,
    onUnanswered: found && isRepeatable(request) ? () => openOne(again) : undefined,
  }
  const again: Job = { request, receiver, text }
  let current: { readonly connection: UpstreamConnection; readonly job: Job } | undefined
  let isAborted = false
  let isPaused = false

  function use(connection: UpstreamConnection, one: Job): void {
    current = { connection, job: one }
    connection.send(one)
    if (isPaused) connection.pause(one)
  }

  function openOne(one: Job): void {
    open().then(
      opened => (isAborted ? opened.destroy() : use(opened, one)),
      (error: unknown) => {
        if (!isAborted) receiver.fail(error instanceof Error ? error : new Error(String(error)))
      },
    )
  }

  if (found) use(found, job)
  else openOne(job)
  return {
    pause() {
      isPaused = true
      current?.connection.pause(current.job)
    },
    resume() {
      isPaused = false
      current?.connection.resume(current.job)
    },
    abort() {
      isAborted = true
      current?.connection.abort(current.job)
    },
  }
}

const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

function isRepeatable({ method, body }: OutgoingRequest): boolean {
  return repeatable.has(method) && (body === undefined || Buffer.isBuffer(body))
}

function textOf(
  { method, target, headers, body, streamLength }: OutgoingRequest,
  to: UpstreamAddress,
): string {
  const length = Buffer.isBuffer(body) ? body.length : streamLength
  const framing =
    body === undefined
      ? []
      : length === undefined
        ? [{ name: 'Transfer-Encoding', value: 'chunked' }]
        : [{ name: 'Content-Length', value: String(length) }]
  const host = { name: 'Host', value: to.host }
  return headText(`${method} ${to.prefix}${target} HTTP/1.1`, [host, ...headers, ...framing])
}
