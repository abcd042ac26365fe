import type { OutputStream } from '../kit/index.ts'

export interface LineStream {
  push(stream: OutputStream, text: string): void
  /** Tells what is left without a line end. */
  end(): void
}

export interface LineStreamLimits {
  /** A longer line is emitted in pieces. */
  readonly maxLine?: number
  /** About so many characters of both streams together are emitted, then a line that says that output was cut. */
  readonly maxTotal?: number
}

/**
 * Passes text on in whole lines where it can, several at a time when they come together: halves of lines are hard to
 * read in a log, and a secret could hide in the cut. Holds back at most one line per stream. Throws what `tell` throws.
 */
export function createLineStream(
  tell: (stream: OutputStream, text: string) => void,
  { maxLine = 16 << 10, maxTotal = 16 << 20 }: LineStreamLimits = {},
): LineStream {
  const held = { stdout: '', stderr: '' }
  let left = maxTotal

  function pass(stream: OutputStream, text: string): void {
    if (text === '' || left <= 0) return
    tell(stream, text)
    left -= text.length
    if (left <= 0) tell(stream, `\n[more than ${maxTotal} characters of output; the rest is not shown]\n`)
  }

  return {
    push(stream, text) {
      const all = held[stream] + text
      const afterLines = all.lastIndexOf('\n') + 1
      const cut = all.length - afterLines > maxLine ? all.length : afterLines
      held[stream] = all.slice(cut)
      pass(stream, all.slice(0, cut))
    },
    end() {
      for (const stream of ['stdout', 'stderr'] as const) {
        const rest = held[stream]
        held[stream] = ''
        pass(stream, rest)
      }
    },
  }
}
