import type { Client, Dispatcher } from 'undici'
import { errorCode, type Log } from '../../kit/index.ts'
import { hasUnknownCoding, rawHeaders, readHeaders } from '../headers.ts'
import type { OutgoingRequest, ResponseHandler, RunningRequest, Transport } from '../transport.ts'
import { createConnector } from './connector.ts'
import type { OutboundProxy, UpstreamAddress } from './upstream-address.ts'

export interface UpstreamTransportOptions {
  readonly upstream: UpstreamAddress
  readonly proxy: OutboundProxy | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

const tag = 'PROXY-HTTP-TRANSPORT'
const mostIdle = 64

/**
 * Sends to one address and to no other. Follows no redirect and tries nothing twice, with one exception: a request that may
 * be repeated and met an idle connection just as it was closed goes out once more. Has no time limits but on connecting.
 */
export async function createUpstreamTransport(options: UpstreamTransportOptions): Promise<Transport> {
  const { upstream, log } = options
  // Loaded with the first proxy only: it is large.
  const undici = await import('undici')
  const { isTls, host, prefix } = upstream
  const connect = createConnector(undici, options)
  const clients = new Set<Client>()
  const idle: Client[] = []

  const open = (): Client => {
    const client = new undici.Client(`${isTls ? 'https' : 'http'}://${host}`, {
      connect,
      // A connection gets one request at a time here; undici need not wait a turn before it takes the next.
      pipelining: 2,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 64 * 1024,
      // An upstream that says how long it keeps an idle connection is believed, a little less.
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 30_000,
      keepAliveTimeoutThreshold: 1_000,
    })
    clients.add(client)
    return client.on('connect', () => log.info(tag, `connected to ${host}`))
  }
  const drop = (client: Client): void => {
    clients.delete(client)
    client.destroy().catch(() => undefined)
  }
  const connections: Connections = {
    open,
    // The last one first: the others can go when there is less to do.
    takeIdle: () => idle.pop(),
    giveBack(client) {
      if (idle.length < mostIdle && clients.has(client)) idle.push(client)
      else drop(client)
    },
    drop,
  }
  return {
    send(request, handler) {
      const sent = new UpstreamRequest(connections, prefix, { request, handler })
      sent.dispatch()
      return sent
    },
    close() {
      idle.length = 0
      for (const client of clients) drop(client)
    },
  }
}

/** A client of undici is one connection here, which it opens again when it was closed. */
interface Connections {
  open(): Client
  takeIdle(): Client | undefined
  giveBack(client: Client): void
  /** Closes it, whatever is under way. */
  drop(client: Client): void
}

interface Sent {
  readonly request: OutgoingRequest
  readonly handler: ResponseHandler
}

const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
const lostConnection: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

class UpstreamRequest implements Dispatcher.DispatchHandler, RunningRequest {
  readonly #connections: Connections
  readonly #options: Dispatcher.DispatchOptions
  readonly #handler: ResponseHandler
  #client: Client
  /** It may be sent again on a new connection. */
  #mayRepeat: boolean
  #isPaused = false
  #isOver = false
  #resume: (() => void) | undefined

  constructor(connections: Connections, prefix: string, { request, handler }: Sent) {
    const { method, target, headers, body, streamLength } = request
    const isStream = body !== undefined && !Buffer.isBuffer(body)
    const length = isStream && streamLength !== undefined ? ['content-length', String(streamLength)] : []
    const found = connections.takeIdle()
    this.#connections = connections
    this.#handler = handler
    this.#client = found ?? connections.open()
    this.#mayRepeat = found !== undefined && repeatable.has(method) && !isStream
    this.#options = {
      method,
      path: prefix + target,
      headers: [...rawHeaders(headers), ...length],
      body: body ?? null,
    }
  }

  dispatch(): void {
    this.#client.dispatch(this.#options, this)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#resume?.()
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#connections.drop(this.#client)
  }

  onConnect(): void {
    // `abort` of undici would connect again.
  }

  onResponseStarted(): void {
    this.#mayRepeat = false
  }

  onHeaders(status: number, raw: Buffer[], ...[resume, text]: [resume: () => void, text: string]): boolean {
    const headers = readHeaders(raw)
    this.#resume = resume
    if (status === 101 || status > 599 || hasUnknownCoding(headers)) {
      this.#fail(new Error('The upstream sent an answer that could be read in two ways.'))
      return false
    }
    // Node.js writes no other characters.
    const reason = /^[\t -~]*$/.test(text) ? text : ''
    if (status < 200) this.#handler.interim({ status, reason, headers })
    else this.#handler.head({ status, reason, headers })
    return !this.#isPaused
  }

  onData(bytes: Buffer): boolean {
    if (!this.#isOver) this.#handler.data(bytes)
    return !this.#isPaused
  }

  onComplete(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#connections.giveBack(this.#client)
    this.#handler.end()
  }

  onError(error: Error): void {
    if (this.#isOver) return
    if (!this.#mayRepeat || !lostConnection.has(errorCode(error) ?? '')) {
      this.#fail(error)
      return
    }
    this.#mayRepeat = false
    this.#connections.drop(this.#client)
    this.#client = this.#connections.open()
    this.dispatch()
  }

  #fail(error: Error): void {
    this.#isOver = true
    this.#connections.drop(this.#client)
    this.#handler.fail(error)
  }
}
