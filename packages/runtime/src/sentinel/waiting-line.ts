/** At most so many triggers of a sentinel wait. */
export const longestLine = 100

/** Who comes first is served first; when the line is full, the one who waited longest has to go. */
export interface WaitingLine<T> {
  /** `false`: the oldest had to go to make room. */
  put(item: T): boolean
  take(): T | undefined
  clear(): number
  readonly length: number
}

export function createWaitingLine<T>(): WaitingLine<T> {
  const items: T[] = []
  return {
    put(item) {
      items.push(item)
      if (items.length <= longestLine) return true
      items.shift()
      return false
    },
    take: () => items.shift(),
    clear: () => items.splice(0).length,
    get length() {
      return items.length
    },
  }
}
