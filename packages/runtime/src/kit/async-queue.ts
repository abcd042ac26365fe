/**
 * An unbounded queue for one taker: many put, one takes, in order.
 *
 * Nothing put before `close` is lost: a take that was aborted leaves its item in the queue, and items still queued at
 * `close` are handed out before the end is told.
 */
export interface AsyncQueue<T extends NonNullable<unknown>> {
  /** Never throws and never waits. `false`: closed, the item was not taken in. */
  put(item: T): boolean
  /**
   * The next item, or `undefined` once closed and empty. Rejects with `signal.reason` on abort, at once when already
   * aborted. Throws (it does not reject) when another take is still waiting: two takers are a bug.
   */
  take(signal?: AbortSignal): Promise<T | undefined>
  /** Idempotent. A waiting take gets `undefined`. */
  close(): void
  readonly size: number
}

export function createAsyncQueue<T extends NonNullable<unknown>>(): AsyncQueue<T> {
  const queue = createQueue<T>()
  let closed = false
  let waiting: ((item: T | undefined) => void) | undefined

  function put(item: T): boolean {
    if (closed) return false
    if (waiting) waiting(item)
    else queue.push(item)
    return true
  }

  function take(signal?: AbortSignal): Promise<T | undefined> {
    if (waiting) throw new Error('async queue: a second take while one is waiting')
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (closed || queue.size() > 0) return Promise.resolve(queue.shift())
    return wait(signal)
  }

  function wait(signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        waiting = undefined
        reject(signal?.reason)
      }
      waiting = item => {
        waiting = undefined
        signal?.removeEventListener('abort', abort)
        resolve(item)
      }
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  function close(): void {
    closed = true
    waiting?.(undefined)
  }

  return {
    put,
    take,
    close,
    get size() {
      return queue.size()
    },
  }
}

interface Queue<T> {
  push(item: T): void
  shift(): T | undefined
  size(): number
}

/** `Array.shift` moves every item that is left; here the front is cut off once it is half of the array. */
function createQueue<T>(): Queue<T> {
  let items: (T | undefined)[] = []
  let front = 0
  return {
    push: item => void items.push(item),
    size: () => items.length - front,
    shift() {
      if (front === items.length) return undefined
      const item = items[front]
      items[front++] = undefined
      if (front * 2 > items.length) {
        items = items.slice(front)
        front = 0
      }
      return item
    },
  }
}
