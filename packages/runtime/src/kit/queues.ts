export type AsyncQueue<T extends NonNullable<unknown>> = ReturnType<typeof createAsyncQueue<T>>

/**
 * For one taker, in order. Nothing put before `close` is lost: an aborted take leaves its item, and what is queued at `close`
 * is handed out before the end is reported.
 */
export function createAsyncQueue<T extends NonNullable<unknown>>() {
  let items: (T | undefined)[] = []
  let front = 0
  let closed = false
  let waiting: ((item: T | undefined) => void) | undefined

  /** `Array.shift` moves every item that is left; here the front is cut off once it is half of the array. */
  function shift(): T | undefined {
    if (front === items.length) return undefined
    const item = items[front]
    items[front++] = undefined
    if (front * 2 > items.length) {
      items = items.slice(front)
      front = 0
    }
    return item
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

  return {
    /** `false`: closed, the item was not taken in. */
    put(item: T): boolean {
      if (closed) return false
      if (waiting) waiting(item)
      else items.push(item)
      return true
    },
    /** Undefined once closed and empty. Rejects with `signal.reason` on abort. Two takers are a bug, and throw. */
    take(signal?: AbortSignal): Promise<T | undefined> {
      if (waiting) throw new Error('async queue: a second take while one is waiting')
      if (signal?.aborted) return Promise.reject(signal.reason)
      return closed || items.length > front ? Promise.resolve(shift()) : wait(signal)
    },
    /** A waiting take gets `undefined`. */
    close(): void {
      closed = true
      waiting?.(undefined)
    },
    get size() {
      return items.length - front
    },
  }
}

/** Runs work one at a time, in the order in which it was handed in; what fails does not stop the next. */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  let length = 0
  return {
    get length() {
      return length
    },
    run<T>(work: () => Promise<T> | T): Promise<T> {
      length++
      const result = last.then(work).finally(() => {
        length--
      })
      last = result.catch(() => undefined)
      return result
    },
  }
}

export type Semaphore = ReturnType<typeof createSemaphore>

/** So many at a time, the others in order. At most `waiting` wait; one more is refused at once. */
export function createSemaphore(options: { readonly permits: number; readonly waiting?: number }) {
  const { permits, waiting: most = Number.POSITIVE_INFINITY } = options
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
    /** What releases the permit (again does nothing); undefined: too many wait. */
    async acquire(): Promise<(() => void) | undefined> {
      if (free > 0) {
        free--
        return permit()
      }
      if (waiting.length >= most) return undefined
      return new Promise(resolve => waiting.push(resolve))
    },
  }
}
