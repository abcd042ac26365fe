import { Socket } from 'node:net'
import { createAsyncQueue, isObject, splitLines } from '../../../kit/index.ts'
import type { FromWorker, ToWorker } from '../worker-protocol.ts'

export type Channel = ReturnType<typeof openChannel>

const longestMessage = 16 << 20

/** `onAbort` is called for every `abort`, whatever else waits. */
export function openChannel(fd: number, onAbort: () => void) {
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
      const message: unknown = JSON.parse(bytes.toString())
      if (!isToWorker(message)) continue
      if (message.type === 'abort') onAbort()
      else inbox.put(message)
    }
  })

  return {
    send(message: FromWorker): void {
      if (socket.writable) socket.write(`${format(message)}\n`)
    },
    /** All but `abort`. Undefined once the pipe is closed or `signal` aborts. */
    next: (signal: AbortSignal) => inbox.take(signal).catch(() => undefined),
    closed,
    /** When everything is written, or cannot be. Nothing may be sent afterwards. */
    flush: () => Promise.race([closed, new Promise<void>(resolve => socket.end(resolve))]),
  }
}

/** The other end is our own program of the same version: its messages are distinguished, not validated. */
function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && typeof message['type'] === 'string'
}

/** A message of the SDK may be of any size and hold anything, also what JSON cannot. */
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
