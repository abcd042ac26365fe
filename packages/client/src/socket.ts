import { createInlet } from './inlet.ts'
import type { Connect, Connected, Transport } from './transport.ts'

/** What `ws` in Node and `globalThis.WebSocket` in a browser have in common, as far as it is used here. */
export interface SocketLike {
  readonly readyState: number
  send(text: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'error', listener: (event: { readonly message?: unknown }) => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
}

export type SocketConstructor = new (url: string) => SocketLike

const socketOpen = 1

/** Opens one WebSocket per call. Resolves when it is open, or with the reason why it never was. */
export function socketConnect(url: string, Socket: SocketConstructor): Connect {
  return () =>
    new Promise(resolve => {
      try {
        follow(new Socket(url), resolve)
      } catch (error) {
        resolve({ ok: false, reason: messageOf(error) })
      }
    })
}

function follow(socket: SocketLike, resolve: (connected: Connected) => void): void {
  const inlet = createInlet()
  let problem = ''
  socket.addEventListener('open', () => resolve({ ok: true, transport: socketTransport(socket, inlet) }))
  socket.addEventListener('error', event => {
    problem = typeof event.message === 'string' ? event.message : ''
  })
  // A binary frame is no message of the protocol: it goes on as an empty text, which the reader reports as malformed.
  socket.addEventListener('message', event => inlet.message(typeof event.data === 'string' ? event.data : ''))
  socket.addEventListener('close', event => {
    const reason = event.reason || problem
    inlet.end(event.code, reason)
    resolve({ ok: false, reason: reason || `The connection was closed with ${event.code}.` })
  })
}

function socketTransport(socket: SocketLike, inlet: ReturnType<typeof createInlet>): Transport {
  return {
    send(text) {
      // A browser's socket throws while it closes; that frame is lost either way, and the end follows.
      if (socket.readyState === socketOpen) socket.send(text)
    },
    close(code = 1000, reason = '') {
      socket.close(allowed(code), reason)
    },
    onMessage: inlet.onMessage,
    onClose: inlet.onClose,
  }
}

/** Browsers let a page close with 1000 or 3000 to 4999 and throw at anything else. */
function allowed(code: number): number {
  return code === 1000 || (code >= 3000 && code <= 4999) ? code : 1000
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
