/** Counts the frames of a stream and looks at little of what is in them, so that reading costs next to nothing. */
export interface FrameReader {
  frames: number
  /** The end of the last frame. */
  lastEnd: string
  read(chunk: Buffer): void
}

const mark = Buffer.from('"message":"sent ')

/**
 * `onSent`, if there is one, is told the time at which each message says that it was sent, in nanoseconds. No object is made for
 * it: a hundred thousand times a second the collector would be what is measured.
 */
export function createFrameReader(onSent?: (sentAt: number) => void): FrameReader {
  /** Bytes of the current frame that are still to come. */
  let left = 0
  /** The beginning of a frame whose head was cut by the end of a chunk. */
  let cut: Buffer | undefined

  const reader: FrameReader = {
    frames: 0,
    lastEnd: '',
    read(given) {
      const chunk = cut ? Buffer.concat([cut, given]) : given
      cut = undefined
      let at = Math.min(left, chunk.length)
      if (left > 0 && left === at) reader.frames++
      left -= at
      while (at < chunk.length) {
        const size = frameSize(chunk, at)
        if (size === undefined) {
          cut = chunk.subarray(at)
          break
        }
        left = Math.max(0, at + size - chunk.length)
        if (onSent && left === 0) look(chunk, at, onSent)
        at += size
        if (left === 0) reader.frames++
      }
      if (left === 0) reader.lastEnd = chunk.toString('latin1', Math.max(0, chunk.length - 40))
    },
  }
  return reader
}

/** In the frame that begins there; where it has none, that of a later one is found too early, which those of the bench never do. */
function look(chunk: Buffer, at: number, onSent: (sentAt: number) => void): void {
  const found = chunk.indexOf(mark, at)
  if (found === -1) return
  let sentAt = 0
  for (let next = found + mark.length; ; next++) {
    const digit = (chunk[next] ?? space) - zero
    if (digit < 0) break
    sentAt = sentAt * 10 + digit
  }
  onSent(sentAt)
}

const space = 0x20
const zero = 0x30

/** Of head and payload; undefined when the head is not all there. */
function frameSize(chunk: Buffer, at: number): number | undefined {
  const short = chunk[at + 1]
  if (short === undefined) return undefined
  if (short < 126) return 2 + short
  const head = short === 126 ? 4 : 10
  if (at + head > chunk.length) return undefined
  return head + (short === 126 ? chunk.readUInt16BE(at + 2) : Number(chunk.readBigUInt64BE(at + 2)))
}
