/** One thing after another: each task starts when the one before it has ended, well or not. */
export interface Line {
  /** Tasks that have not ended. */
  readonly length: number
  add(task: () => Promise<void> | void): void
}

export function createLine(onFault: (error: unknown) => void): Line {
  let tail: Promise<void> = Promise.resolve()
  let length = 0
  return {
    get length() {
      return length
    },
    add(task) {
      length++
      tail = tail
        .then(task)
        .catch(onFault)
        .finally(() => {
          length--
        })
    },
  }
}
