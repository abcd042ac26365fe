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
