import { soon } from './platform.ts'

/** One connection as the client sees it: text frames both ways and one end. */
export interface Transport {
  /** Hands one frame over. Must not throw; after the end it does nothing. */
  readonly send: (text: string) => void
  /** Sets the one reader of frames. Frames that came before are handed to it at once, in order. */
  readonly onMessage: (read: (text: string) => void) => void
  /** Sets the one listener of the end, called exactly once; at once when the end came before. */
  readonly onClose: (listener: (code: number, reason: string) => void) => void
  /** Ends the connection from this side. Must not throw; calling it again does nothing. */
  readonly close: (code?: number, reason?: string) => void
}

export type Connected =
  | { readonly ok: true; readonly transport: Transport }
  | { readonly ok: false; readonly reason: string }

/** Opens a new connection; called again for every attempt. A rejection counts as `ok: false`. */
export type Connect = () => Promise<Connected>

/**
 * The receiving half of a transport: buffers frames and the end until someone listens, and reports the end once.
 * Nothing is handed on after the end.
 */
interface BufferedReceiver extends Pick<Transport, 'onMessage' | 'onClose'> {
  readonly message: (text: string) => void
  readonly end: (code: number, reason: string) => void
}

function createBufferedReceiver(): BufferedReceiver {
  let read: ((text: string) => void) | undefined
  let closed: ((code: number, reason: string) => void) | undefined
  let early: string[] = []
  let ended: { readonly code: number; readonly reason: string } | undefined

  return {
    message(text) {
      if (ended) return
      if (read) read(text)
      else early.push(text)
    },
    end(code, reason) {
      if (ended) return
      ended = { code, reason }
      closed?.(code, reason)
    },
    onMessage(reader) {
      read = reader
      const waiting = early
      early = []
      for (const text of waiting) reader(text)
    },
    onClose(listener) {
      closed = listener
      if (ended) listener(ended.code, ended.reason)
    },
  }
}

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
  const receiver = createBufferedReceiver()
  let problem = ''
  socket.addEventListener('open', () => resolve({ ok: true, transport: socketTransport(socket, receiver) }))
  socket.addEventListener('error', event => {
    problem = typeof event.message === 'string' ? event.message : ''
  })
  // A binary frame is no message of the protocol: it goes on as an empty text, which the reader reports as malformed.
  socket.addEventListener('message', event =>
    receiver.message(typeof event.data === 'string' ? event.data : ''),
  )
  socket.addEventListener('close', event => {
    const reason = event.reason || problem
    receiver.end(event.code, reason)
    resolve({ ok: false, reason: reason || `The connection was closed with ${event.code}.` })
  })
}

function socketTransport(socket: SocketLike, receiver: BufferedReceiver): Transport {
  return {
    send(text) {
      // A browser's socket throws while it closes; that frame is lost either way, and the end follows.
      if (socket.readyState === socketOpen) socket.send(text)
    },
    close(code = 1000, reason = '') {
      socket.close(allowed(code), reason)
    },
    onMessage: receiver.onMessage,
    onClose: receiver.onClose,
  }
}

/** Browsers let a page close with 1000 or 3000 to 4999 and throw at anything else. */
function allowed(code: number): number {
  return code === 1000 || (code >= 3000 && code <= 4999) ? code : 1000
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Two transports that speak to each other inside one program: a connection for tests, without a socket. */
export interface MemoryLink {
  readonly client: Transport
  readonly server: Transport
  /** Loses the connection without a close frame: frames under way are gone, both ends see 1006. */
  readonly cut: () => void
}

/** Frames arrive asynchronously, in order. A close arrives after the frames sent before it. */
export function linkTransports(): MemoryLink {
  const atClient = createBufferedReceiver()
  const atServer = createBufferedReceiver()
  let lost = false
  let closing = false

  const side = (own: BufferedReceiver, other: BufferedReceiver): Transport => ({
    send(text) {
      if (closing) return
      soon(() => {
        if (!lost) other.message(text)
      })
    },
    close(code = 1000, reason = '') {
      if (closing) return
      closing = true
      soon(() => {
        other.end(code, reason)
        own.end(code, reason)
      })
    },
    onMessage: own.onMessage,
    onClose: own.onClose,
  })

  return {
    client: side(atClient, atServer),
    server: side(atServer, atClient),
    cut() {
      lost = true
      closing = true
      soon(() => {
        atClient.end(1006, '')
        atServer.end(1006, '')
      })
    },
  }
}
