import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { type Frames, pingFrame, pongFrame } from './frames.ts'
import { createOutbox } from './outbox.ts'

/** The event of a socket that is about to close because a message was larger than allowed. */
const tooLarge = 'too-large'

/** The event of a socket over which, from now on, nothing more is said: either side has said goodbye or broken the rules. */
const closing = 'closing'

/**
 * `ws` closes with 1009 by itself and emits that when nothing may be sent any more. A socket of this kind emits it
 * before, so that the other side can be told why; and it emits every close when it begins, not when it is over.
 */
export function noticingClose(Socket: typeof WebSocket): typeof WebSocket {
  return class extends Socket {
    override close(code?: number, reason?: string | Buffer): void {
      if (code === 1009) this.emit(tooLarge)
      super.close(code, reason)
      this.emit(closing)
    }
  }
}

export interface PeerListener {
  /** Undefined: a binary message. */
  receive(text: string | undefined): void
  /** A ping or a pong. */
  receiveControl(): void
  /** A message that was too large to be read. Once this returns, the connection closes with 1009. */
  receiveTooLarge(): void
}

interface PeerOptions {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly queueBytes: number
}

export type Peer = ReturnType<typeof createPeer>

/**
 * One WebSocket connection, without a meaning: messages in, whole frames out, one end.
 *
 * `ws` reads, and sends nothing but closing frames; all else is written to the socket through the outbox. Both write
 * whole frames only, so neither ever cuts into a frame of the other.
 */
export function createPeer({ ws, socket, queueBytes }: PeerOptions) {
  const isOpen = (): boolean => ws.readyState === ws.OPEN
  const outbox = createOutbox(socket, { limit: queueBytes, isOpen })
  let traffic = 0

  /** Says goodbye; what still waits to be sent is dropped. Calling it again does nothing. */
  const close = (code: number, reason: string): void => {
    outbox.discard()
    if (isOpen()) ws.close(code, shortReason(reason))
  }
  /** A peer that is too far behind is closed with 1013 instead: it comes back and asks for the rest. */
  const put = (frames: Frames): void => {
    if (!outbox.push(frames)) close(1013, 'Too far behind; connect again with since.')
  }
  const send = (frames: Frames): void => {
    traffic++
    put(frames)
  }

  /** Sets who takes the messages. To be called in the tick in which the peer was made. */
  const listen = (listener: PeerListener): void => {
    ws.on('message', (data, isBinary) => {
      if (!isOpen()) return
      traffic++
      listener.receive(isBinary || !Buffer.isBuffer(data) ? undefined : data.toString('utf8'))
    })
    ws.on('ping', payload => {
      traffic++
      listener.receiveControl()
      put(pongFrame(payload))
    })
    ws.on('pong', () => listener.receiveControl())
    ws.on(tooLarge, () => listener.receiveTooLarge())
  }

  return {
    listen,
    get isOpen() {
      return isOpen()
    },
    ...endsOf(ws, outbox.discard),
    /** Counts what was said in either direction; what the program itself asks of a silent peer is not in it. */
    get traffic() {
      return traffic
    },
    /** Changes whenever the other side gave a sign of life: bytes from it, or bytes that it took. */
    get signsOfLife() {
      return socket.bytesRead + outbox.progress
    },
    send,
    hold: outbox.hold,
    release: outbox.release,
    get isDrained() {
      return outbox.isDrained
    },
    /** Whether the system has taken all that was sent: its buffers may be written over. */
    get isIdle() {
      return outbox.bytes === 0
    },
    drained: outbox.drained,
    ping: () => put(pingFrame),
    close,
    /** Ends it without a word. */
    cut: () => ws.terminate(),
  }
}

function endsOf(ws: WebSocket, discard: () => void) {
  const gone = new AbortController()
  const isClosing = new AbortController()
  // A frame against the rules: `ws` has already answered it with the right closing frame.
  ws.on('error', discard)
  ws.on(closing, () => isClosing.abort())
  ws.on('close', () => {
    discard()
    isClosing.abort()
    gone.abort()
  })
  return {
    /** Aborted when the connection is over. */
    gone: gone.signal,
    /** Aborted when nothing more is said, which may be long before the other side lets the connection go. */
    closing: isClosing.signal,
  }
}

/** A closing frame has room for 123 bytes of reason. */
function shortReason(reason: string): string {
  if (Buffer.byteLength(reason) <= 123) return reason
  return `${reason.slice(0, 40)}…`
}
