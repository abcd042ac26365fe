/** So many at a time, the others in the order in which they came. At most `waiting` wait; one more is refused at once. */
export interface Semaphore {
  /** Resolves with the function that releases the permit (calling it again does nothing); undefined: too many wait. */
  acquire(): Promise<(() => void) | undefined>
}

export interface SemaphoreOptions {
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
