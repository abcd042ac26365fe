import type { WebSocket } from 'ws'

/** The event of a socket that is about to close because a message was larger than allowed. */
export const tooLarge = 'too-large'

/** The event of a socket over which, from now on, nothing more is said: either side has said goodbye or broken the rules. */
export const closing = 'closing'

/**
 * `ws` closes with 1009 by itself and tells of it when nothing may be sent any more. A socket of this kind tells of it
 * before, so that the other side can be told why; and it tells of every close when it begins, not when it is over.
 */
export function announcing(Socket: typeof WebSocket): typeof WebSocket {
  return class extends Socket {
    override close(code?: number, reason?: string | Buffer): void {
      if (code === 1009) this.emit(tooLarge)
      super.close(code, reason)
      this.emit(closing)
    }
  }
}
