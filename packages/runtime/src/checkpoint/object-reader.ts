import type { Result } from '../kit/index.ts'
import type { Git } from '../tree/index.ts'

/** Gets objects in pieces: for each `begin`, any number of `data`, `end`. */
export interface ObjectReceiver {
  begin(index: number, size: number): void
  data(piece: Buffer): void
  end(): void
  /** There will be no more, although not everything has come. */
  abandon?(): void
}

interface ReadObjectsRequest {
  readonly oids: readonly string[]
  readonly receiver: ObjectReceiver
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads objects in the given order, each as it is stored, without conversion. One process for all of them. What the
 * receiver throws ends it and is the `cause`. Rejects only with the reason of the signal.
 */
export async function readObjects(
  git: Git,
  { oids, receiver, signal }: ReadObjectsRequest,
): Promise<Result<object, { readonly message: string; readonly cause?: unknown }>> {
  if (oids.length === 0) return { ok: true }
  const parser = createParser(oids, receiver)
  let cause: unknown
  try {
    const answer = await git(['cat-file', '--batch', '--buffer'], {
      input: `${oids.join('\n')}\n`,
      signal,
      onBytes(bytes) {
        try {
          parser.push(bytes)
        } catch (error) {
          cause = error
          throw error
        }
      },
    })
    if (!answer.ok) return { ok: false, message: answer.message, cause }
    return parser.isDone() ? { ok: true } : { ok: false, message: 'git ended before it had said everything' }
  } finally {
    if (!parser.isDone()) receiver.abandon?.()
  }
}

const lineFeed = 10

/** `<oid> <type> <size>\n`, as many bytes, `\n`; again and again. */
function createParser(oids: readonly string[], receiver: ObjectReceiver) {
  let index = 0
  let head = ''
  /** Bytes still to come of the object, with the line feed behind it; 0 while a head is being read. */
  let left = 0

  function takeHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf(lineFeed)
    head += bytes.toString('latin1', 0, end === -1 ? undefined : end)
    if (end === -1) return bytes.subarray(bytes.length)
    const [oid, type, size] = head.split(' ')
    if (oid !== oids[index] || type === 'missing') throw new Error(`object ${oids[index]} is missing`)
    head = ''
    left = Number(size) + 1
    receiver.begin(index, Number(size))
    return bytes.subarray(end + 1)
  }

  function takeData(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, Math.min(bytes.length, left - 1))
    if (piece.length > 0) receiver.data(piece)
    left -= piece.length
    const rest = bytes.subarray(piece.length)
    if (left > 1 || rest.length === 0) return rest
    left = 0
    index++
    receiver.end()
    return rest.subarray(1)
  }

  return {
    push(bytes: Buffer) {
      for (let rest = bytes; rest.length > 0; ) rest = left === 0 ? takeHead(rest) : takeData(rest)
    },
    isDone: () => index === oids.length,
  }
}
