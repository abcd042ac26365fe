import type { Writable } from 'node:stream'
import type { Frames } from './frames.ts'

interface OutboxOptions {
  readonly limit: number
  /** Whether frames may still be sent: not after a closing frame in either direction. */
  readonly isOpen: () => boolean
}

/** Handed to the socket at once; enough to keep it busy. */
const handful = 256 * 1024

/**
 * What waits to be sent to one client.
 *
 * - **O1** Frames reach the socket whole and in the order in which they were pushed.
 * - **O2** Only a handful is inside the socket at a time. The rest waits here, where it can be counted and forgotten.
 * - **O3** More than `limit` never waits, except for a single frame that is larger by itself.
 */
export function createOutbox(socket: Writable, { limit, isOpen }: OutboxOptions) {
  const queue = createQueue()
  let progress = 0
  let held = false
  let closed = false
  const waiters: (() => void)[] = []

  const wake = (): void => {
    for (const waiter of waiters.splice(0)) waiter()
  }
  /** Forgets what waits, and takes nothing any more. */
  const discard = (): void => {
    closed = true
    queue.clear()
    wake()
  }
  const isBlocked = (): boolean => held || socket.writableNeedDrain
  const pump = (): void => {
    if (!isOpen()) discard()
    if (closed || isBlocked()) return
    socket.cork()
    for (let handed = 0; handed < handful; ) {
      const frames = queue.shift()
      if (!frames) break
      write(socket, frames)
      handed += sizeOf(frames)
    }
    socket.uncork()
    if (queue.isEmpty()) wake()
  }
  socket.on('drain', () => {
    progress++
    pump()
  })

  return {
    /** Bytes that the other side has not taken, here and in the socket. */
    get bytes() {
      return queue.bytes() + socket.writableLength
    },
    /** Grows whenever the other side took what was in the socket. */
    get progress() {
      return progress
    },
    /** Whether nothing waits here. What is in the socket does not count. */
    get isDrained() {
      return queue.isEmpty()
    },
    /** False: it does not fit, and nothing of it was taken. */
    push(frames: Frames): boolean {
      if (closed || !isOpen()) return true
      const waiting = queue.bytes() + socket.writableLength
      if (waiting > 0 && waiting + sizeOf(frames) > limit) return false
      if (isBlocked() || !queue.isEmpty()) queue.push(frames)
      else write(socket, frames)
      return true
    },
    hold(): void {
      held = true
    },
    /** Ends the hold: `first` is sent before all that has gathered. */
    release(first: Frames): void {
      held = false
      queue.putFirst(first)
      pump()
    },
    discard,
    /** Resolves when nothing waits here, or nothing ever will. */
    drained: () =>
      new Promise<void>(resolve => {
        if (closed || queue.isEmpty()) resolve()
        else waiters.push(resolve)
      }),
  }
}

/** `Array.shift` moves every item that is left; here the front is cut off once it is half of the array. */
function createQueue() {
  let items: (Frames | undefined)[] = []
  let front = 0
  let bytes = 0
  return {
    bytes: () => bytes,
    isEmpty: () => front === items.length,
    push(frames: Frames): void {
      items.push(frames)
      bytes += sizeOf(frames)
    },
    putFirst(frames: Frames): void {
      items = [frames, ...items.slice(front)]
      front = 0
      bytes += sizeOf(frames)
    },
    shift(): Frames | undefined {
      const frames = items[front]
      if (!frames) return undefined
      items[front++] = undefined
      bytes -= sizeOf(frames)
      if (front * 2 > items.length) {
        items = items.slice(front)
        front = 0
      }
      return frames
    },
    clear(): void {
      items = []
      front = 0
      bytes = 0
    },
  }
}

function write(socket: Writable, frames: Frames): void {
  for (const part of frames) socket.write(part)
}

function sizeOf(frames: Frames): number {
  let size = 0
  for (const part of frames) size += part.length
  return size
}
