/** What all callers together have in memory. */
export interface HeldBodies {
  /** An account for one body. */
  open(): HeldBody
}

export interface HeldBody {
  /** False: that would be too much, and nothing was added. */
  add(bytes: number): boolean
  /** Nothing of the body is in memory any more. */
  release(): void
}

export function createHeldBodies(most: number): HeldBodies {
  let all = 0
  return {
    open() {
      let own = 0
      return {
        add(bytes) {
          if (all + bytes > most) return false
          all += bytes
          own += bytes
          return true
        },
        release() {
          all -= own
          own = 0
        },
      }
    },
  }
}
