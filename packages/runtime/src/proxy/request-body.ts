import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** What all callers together have in memory. */
export interface HeldBodies {
  /** An account for one caller. */
  open(): HeldBody
}

export interface HeldBody {
  /** False: that would be too much, and nothing was added. */
  add(bytes: number): boolean
  /** Nothing is in memory any more. */
  release(): void
}

export function createHeldBodies(most: number): HeldBodies {
  let all = 0
  return {
    open() {
      let own = 0
      return {
        add(bytes) {
          if (all + bytes > most) return false
          all += bytes
          own += bytes
          return true
        },
        release() {
          all -= own
          own = 0
        },
      }
    },
  }
}

export interface RequestBodyOptions {
  /** Bytes, if the caller says how many. */
  readonly length: number | undefined
  /** Larger bodies are forwarded as they come; so are those for which there is no room beside the others. */
  readonly mostHeld: number
  readonly held: HeldBody
  /** Called once: with all of it, or with a stream as soon as it is too large to hold. */
  readonly onBody: (body: Buffer | Readable) => void
}

/** A request body that is being read. */
export interface RequestBody {
  /** Throws away what still comes. */
  discard(): void
}

export function readRequestBody(request: IncomingMessage, options: RequestBodyOptions): RequestBody {
  const { length, mostHeld, held, onBody } = options
  let pieces: Buffer[] = []
  let size = 0
  let stream: Readable | undefined

  const switchToStream = (): void => {
    stream = new Readable({
      read() {
        // Asked for when what was held is nearly gone.
        held.release()
        request.resume()
      },
    })
    stream.on('error', () => undefined)
    for (const piece of pieces) stream.push(piece)
    pieces = []
    onBody(stream)
  }
  const take = (bytes: Buffer): void => {
    if (stream) {
      if (!stream.push(bytes)) request.pause()
      return
    }
    pieces.push(bytes)
    size += bytes.length
    if (size > mostHeld || !held.add(bytes.length)) switchToStream()
  }
  request.on('data', take)
  request.on('end', () => {
    if (stream) stream.push(null)
    else onBody(joined(pieces))
  })
  if (length !== undefined && length > mostHeld) switchToStream()
  return {
    discard() {
      stream?.destroy()
      request.removeAllListeners('data')
      request.removeAllListeners('end')
      request.resume()
    },
  }
}

/** Copies nothing where there is one piece. */
export function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces
  return only && pieces.length === 1 ? only : Buffer.concat(pieces)
}
