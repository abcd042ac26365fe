/** So many at once, and as many again each second. */
export function createRate(perSecond: number, monotonic: () => number): { take(): boolean } {
  let left = perSecond
  let last = monotonic()
  return {
    take() {
      const now = monotonic()
      left = Math.min(perSecond, left + ((now - last) / 1000) * perSecond)
      last = now
      if (left < 1) return false
      left--
      return true
    },
  }
}
