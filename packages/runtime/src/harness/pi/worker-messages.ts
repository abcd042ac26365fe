import type { Socket } from 'node:net'
import { type Clock, type Line, splitLines } from '../../kit/index.ts'
import { type FromWorker, fromWorker } from './worker-protocol.ts'

export type Incoming = FromWorker | { readonly type: 'garbage'; readonly message: string }

interface ReadOptions {
  readonly ended: Promise<unknown>
  readonly clock: Clock
}

const maxLineBytes = 32 << 20
/** How long a pipe that someone else holds may be silent once the worker has ended. */
const lingerMs = 250

/**
 * Reads no faster than messages are taken, so that a flood waits in the worker. What is no message comes once, as `garbage`,
 * and is the last. Closes the channel at the end. Never rejects.
 */
export async function* readMessages(
  channel: Socket | undefined,
  options: ReadOptions,
): AsyncGenerator<Incoming, void, undefined> {
  if (!channel) return
  const splitter = splitLines({ maxLineBytes })
  let unfinished = 0
  try {
    for await (const chunk of chunksOf(channel, options)) {
      const lines = splitter.push(chunk)
      unfinished = lines.length > 0 ? 0 : unfinished + chunk.length
      const messages = unfinished > maxLineBytes ? [tooLong] : lines.map(parse)
      for (const message of messages) {
        yield message
        if (message.type === 'garbage') return
      }
    }
  } finally {
    channel.destroy()
  }
}

async function* chunksOf(
  channel: Socket,
  { ended, clock }: ReadOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks: AsyncIterator<Buffer> = channel[Symbol.asyncIterator]()
  // Only one wait for the end hangs on its promise, however many chunks come before it.
  let hasEnded = false
  let tellEnd: () => void = () => undefined
  void ended.then(() => {
    hasEnded = true
    tellEnd()
  })
  for (;;) {
    // A channel that is destroyed while it is read ends like any other.
    const next = chunks.next().then(
      result => (result.done ? undefined : result.value),
      () => undefined,
    )
    const came = new AbortController()
    const end = new Promise<void>(resolve => {
      tellEnd = resolve
      if (hasEnded) resolve()
    })
    const silence = end.then(() => clock.sleep(lingerMs, came.signal)).catch(() => undefined)
    const chunk = await Promise.race([next, silence])
    came.abort()
    if (!chunk) return
    yield chunk
  }
}

const tooLong = garbage(`a message of more than ${maxLineBytes >> 20} MiB`)

function parse({ bytes, ...line }: Line): Incoming {
  if (line.tooLong) return tooLong
  try {
    const message = fromWorker.safeParse(JSON.parse(bytes.toString()))
    return message.success ? message.data : garbage('a message of an unknown shape')
  } catch {
    return garbage('something that is not a message')
  }
}

function garbage(what: string): Incoming {
  return { type: 'garbage', message: `The agent worker wrote ${what}.` }
}
