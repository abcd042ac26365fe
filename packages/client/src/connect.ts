import { createClient } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { type SocketConstructor, socketConnect } from './socket.ts'
import type { Connect } from './transport.ts'
import type { WeaveClient } from './weave-client.ts'

/** Options for an address: the WebSocket to use is `ws` in Node and `globalThis.WebSocket` in a browser. */
export interface SocketClientOptions extends ClientOptions {
  readonly socket: SocketConstructor
}

/** Connects to a server by its address, or over transports that the caller opens. */
export function connect(url: string, options: SocketClientOptions): WeaveClient
export function connect(target: { readonly transport: Connect }, options: ClientOptions): WeaveClient
export function connect(
  target: string | { readonly transport: Connect },
  options: ClientOptions | SocketClientOptions,
): WeaveClient {
  if (typeof target !== 'string') return createClient(target.transport, options)
  if ('socket' in options) return createClient(socketConnect(target, options.socket), options)
  throw new TypeError('An address needs the option `socket`: the WebSocket constructor to use.')
}
