import { splitLines } from '../../../kit/index.ts'
import type { DialectQuirks } from './dialect-quirks.ts'

export interface WatchOptions {
  readonly quirks: DialectQuirks | undefined
  readonly onBytes: () => void
  readonly onSeen: (what: { readonly isWhole?: true; readonly isRefusal?: true }) => void
}

/** Hands a streamed answer on; where a dialect has quirks, line by line. */
export function watchStream({
  quirks,
  onBytes,
  onSeen,
}: WatchOptions): TransformStream<Uint8Array, Uint8Array> {
  const splitter = splitLines()

  /** As Latin-1, every byte is one character and comes out as it went in. */
  function mended(bytes: Buffer, { isEnding, isRefusal, mend }: DialectQuirks): Buffer {
    const line = bytes.toString('latin1')
    if (isEnding(line)) onSeen({ isWhole: true })
    if (isRefusal(line)) onSeen({ isRefusal: true })
    return Buffer.from(mend(line), 'latin1')
  }

  return new TransformStream({
    transform(chunk, controller) {
      onBytes()
      if (!quirks) return controller.enqueue(chunk)
      const lines = splitter
        .push(Buffer.from(chunk))
        .flatMap(({ bytes }) => [mended(bytes, quirks), lineFeed])
      if (lines.length > 0) controller.enqueue(Buffer.concat(lines))
    },
    flush(controller) {
      if (!quirks) return
      for (const { bytes } of splitter.end()) controller.enqueue(mended(bytes, quirks))
    },
  })
}

const lineFeed = Buffer.from('\n')
