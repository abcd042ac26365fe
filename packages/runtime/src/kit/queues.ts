/**
 * An unbounded queue for one taker: many put, one takes, in order.
 *
 * Nothing put before `close` is lost: a take that was aborted leaves its item in the queue, and items still queued at
 * `close` are handed out before the end is reported.
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

/** Runs work one at a time, in the order in which it was handed in; what fails does not stop the next. */
export interface SerialQueue {
  /** How many have not ended. */
  readonly length: number
  /** Resolves and rejects as the work does. */
  run<T>(work: () => Promise<T> | T): Promise<T>
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  let length = 0
  return {
    get length() {
      return length
    },
    run(work) {
      length++
      const result = last.then(work).finally(() => {
        length--
      })
      last = result.catch(() => undefined)
      return result
    },
  }
}

/** So many at a time, the others in the order in which they came. At most `waiting` wait; one more is refused at once. */
export interface Semaphore {
  /** Resolves with the function that releases the permit (calling it again does nothing); undefined: too many wait. */
  acquire(): Promise<(() => void) | undefined>
}

interface SemaphoreOptions {
  readonly permits: number
  readonly waiting?: number
}

export function createSemaphore({
  permits,
  waiting: most = Number.POSITIVE_INFINITY,
}: SemaphoreOptions): Semaphore {
  let free = permits
  const waiting: ((release: () => void) => void)[] = []

  const permit = (): (() => void) => {
    let released = false
    return () => {
      if (released) return
      released = true
      const next = waiting.shift()
      if (next) next(permit())
      else free++
    }
  }

  return {
    async acquire() {
      if (free > 0) {
        free--
        return permit()
      }
      if (waiting.length >= most) return undefined
      return new Promise(resolve => waiting.push(resolve))
    },
  }
}
