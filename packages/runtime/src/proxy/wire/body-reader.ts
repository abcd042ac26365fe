import { type ChunkedProgress, type ChunkedReader, createChunkedReader } from './chunked-body.ts'
import type { Framing } from './framing.ts'

/** Reads a body to the end that its framing says. One that goes on until the connection closes is never done by itself. */
export class BodyReader {
  readonly #chunks: ChunkedReader | undefined
  #left: number

  constructor(framing: Framing) {
    this.#chunks = framing.kind === 'chunked' ? createChunkedReader() : undefined
    this.#left =
      framing.kind === 'length' ? framing.length : framing.kind === 'none' ? 0 : Number.POSITIVE_INFINITY
  }

  /** Nothing more is expected: the body was empty, or has ended. */
  get isDone(): boolean {
    return this.#left === 0
  }

  push(bytes: Buffer): ChunkedProgress {
    if (this.#chunks) {
      const progress = this.#chunks.push(bytes)
      if (progress.kind === 'done') this.#left = 0
      return progress
    }
    if (bytes.length < this.#left) {
      this.#left -= bytes.length
      return { kind: 'more', data: bytes }
    }
    const data = bytes.subarray(0, this.#left)
    const rest = bytes.subarray(this.#left)
    this.#left = 0
    return { kind: 'done', data, rest }
  }
}
