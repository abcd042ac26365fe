/** Counts the frames of a stream and looks at little of what is in them, so that reading costs next to nothing. */
export interface FrameReader {
  frames: number
  /** The end of the last frame. */
  lastEnd: string
  read(chunk: Buffer): void
}

const mark = Buffer.from('"message":"sent ')

/** `onSent`, if there is one, is told the time at which each message says that it was sent. */
export function createFrameReader(onSent?: (sentAt: bigint) => void): FrameReader {
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
        if (onSent && left === 0) look(chunk.subarray(at, at + size), onSent)
        at += size
        if (left === 0) reader.frames++
      }
      if (left === 0) reader.lastEnd = chunk.toString('latin1', Math.max(0, chunk.length - 40))
    },
  }
  return reader
}

function look(frame: Buffer, onSent: (sentAt: bigint) => void): void {
  const found = frame.indexOf(mark)
  if (found === -1) return
  const from = found + mark.length
  onSent(BigInt(frame.toString('latin1', from, frame.indexOf(0x20, from))))
}

/** Of head and payload; undefined when the head is not all there. */
function frameSize(chunk: Buffer, at: number): number | undefined {
  const short = chunk[at + 1]
  if (short === undefined) return undefined
  if (short < 126) return 2 + short
  const head = short === 126 ? 4 : 10
  if (at + head > chunk.length) return undefined
  return head + (short === 126 ? chunk.readUInt16BE(at + 2) : Number(chunk.readBigUInt64BE(at + 2)))
}
