import { Socket } from 'node:net'
import { createAsyncQueue, isObject, splitLines } from '../../../kit/index.ts'
import type { ToWorker } from '../task.ts'
import type { FromWorker } from '../worker-message.ts'

/** The worker's end of the pipe. */
export interface Channel {
  send(message: FromWorker): void
  /** The next message but `abort`. Undefined once the pipe is closed or `signal` aborts. */
  next(signal: AbortSignal): Promise<ToWorker | undefined>
  /** Resolves when nobody listens any more; never rejects. */
  readonly closed: Promise<void>
  /** Resolves when everything is written, or cannot be. Nothing may be sent afterwards. */
  flush(): Promise<void>
}

const longestMessage = 16 << 20

/** `onAbort` is called for every `abort`, whatever else waits. */
export function openChannel(fd: number, onAbort: () => void): Channel {
  const socket = new Socket({ fd })
  const inbox = createAsyncQueue<ToWorker>()
  const splitter = splitLines()
  const closed = new Promise<void>(resolve => {
    const end = () => {
      inbox.close()
      resolve()
    }
    socket.once('end', end).once('close', end)
  })
  // 'close' follows.
  socket.on('error', () => undefined)
  socket.on('data', chunk => {
    for (const { bytes } of splitter.push(chunk)) {
      const message = parse(bytes.toString())
      if (message?.type === 'abort') onAbort()
      else if (message) inbox.put(message)
    }
  })

  return {
    send(message) {
      if (socket.writable) socket.write(`${format(message)}\n`)
    },
    next: signal => inbox.take(signal).catch(() => undefined),
    closed,
    flush: () => Promise.race([closed, new Promise<void>(resolve => socket.end(resolve))]),
  }
}

function parse(line: string): ToWorker | undefined {
  const message: unknown = JSON.parse(line)
  return isToWorker(message) ? message : undefined
}

/** The other end is our own program of the same version: its messages are told apart, not checked. */
function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && typeof message['type'] === 'string'
}

/** A message of the SDK may be of any size and hold anything; it must not disturb whoever tells of it. */
function format(message: FromWorker): string {
  if (message.type !== 'raw') return JSON.stringify(message)
  const type = isObject(message.message) ? message.message['type'] : undefined
  try {
    const text = JSON.stringify(message)
    if (text.length <= longestMessage) return text
    return JSON.stringify({ type: 'raw', message: { type, omitted: text.length } })
  } catch (error) {
    return JSON.stringify({ type: 'raw', message: { type, unreadable: String(error) } })
  }
}
