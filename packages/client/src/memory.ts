import { createInlet } from './inlet.ts'
import { soon } from './platform.ts'
import type { Transport } from './transport.ts'

/** Two transports that speak to each other inside one program: a connection for tests, without a socket. */
export interface MemoryLink {
  readonly client: Transport
  readonly server: Transport
  /** Loses the connection without a close frame: frames under way are gone, both ends see 1006. */
  readonly cut: () => void
}

/** Frames arrive asynchronously, in order. A close arrives after the frames sent before it. */
export function linkTransports(): MemoryLink {
  const atClient = createInlet()
  const atServer = createInlet()
  let lost = false
  let closing = false

  const side = (own: typeof atClient, other: typeof atClient): Transport => ({
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
