/**
 * So many at a time, the others in the order in which they came. At most `waiting` wait; one more is told so at once.
 */
export interface Turns {
  /** Resolves with the function that gives the turn back (calling it again does nothing); undefined: too many wait. */
  take(): Promise<(() => void) | undefined>
}

export interface TurnsOptions {
  readonly atOnce: number
  readonly waiting?: number
}

export function createTurns({ atOnce, waiting: most = Number.POSITIVE_INFINITY }: TurnsOptions): Turns {
  let free = atOnce
  const waiting: ((giveBack: () => void) => void)[] = []

  const turn = (): (() => void) => {
    let given = false
    return () => {
      if (given) return
      given = true
      const next = waiting.shift()
      if (next) next(turn())
      else free++
    }
  }

  return {
    async take() {
      if (free > 0) {
        free--
        return turn()
      }
      if (waiting.length >= most) return undefined
      return new Promise(resolve => waiting.push(resolve))
    },
  }
}
