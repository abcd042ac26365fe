import type { RequestFacts, RequestOutcome, RequestWord } from '../turn/messages.ts'
import type { RequestRule } from '../turn/requests.ts'

/**
 * Millionths of a dollar. 0: there is not enough now. -1: the turn is lost. -2: there cannot be enough, whatever others give back.
 * Rejects when the engine is away.
 */
export type Grant = (wish: {
  readonly need: number
  readonly want: number
  readonly has: number
}) => Promise<number>

export interface PurseOptions {
  /** False: nothing is lent, what is spent is only counted. */
  readonly hasCeiling: boolean
  readonly grant: Grant
  /** How long a request is held while there is no money for it. */
  readonly holdMs: number
  /** There was none in time. */
  readonly onEmpty: () => void
  /** The epoch is not the newest. */
  readonly onLost: () => void
}

/** The money that was lent to one turn. A request goes out only when all that is under way, and it too, is paid for at its dearest. */
export interface Purse extends RequestRule {
  /** Spent for certain, and what is under way at its dearest. */
  spent(): number
}

/** How often what a request can cost is asked for at once: itself, and two more. */
const ahead = 3
const lost = -1
const never = -2
const firstRetryMs = 250
const longestRetryMs = 5_000
const forward = { kind: 'forward' } as const

export function createPurse({ hasCeiling, grant, holdMs, onEmpty, onLost }: PurseOptions): Purse {
  let granted = 0
  let used = 0
  let underWay = 0
  /** One asks for money at a time: the next one sees what came. */
  let turn: Promise<unknown> = Promise.resolve()
  const left = (): number => granted - used - underWay

  /** True: it is reserved. */
  function reserve(most: number): boolean {
    if (hasCeiling && left() < most) return false
    underWay += most
    return true
  }

  async function fill(most: number, signal: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + holdMs
    for (let wait = firstRetryMs; !signal.aborted; wait = Math.min(2 * wait, longestRetryMs)) {
      if (reserve(most)) return true
      const has = left()
      const got = await grant({ need: most - has, want: ahead * most, has }).catch(() => 0)
      if (got === lost) {
        onLost()
        return false
      }
      granted += Math.max(got, 0)
      if (reserve(most)) return true
      if (got === never || performance.now() + wait > deadline) {
        onEmpty()
        return false
      }
      await pause(wait, signal)
    }
    return false
  }

  return {
    async before({ kind, most, model }, signal): Promise<RequestWord> {
      if (kind === 'free') return forward
      if (most === undefined) return hasCeiling ? unpriced(model) : forward
      if (reserve(most.micros)) return forward
      const mine = turn.then(() => fill(most.micros, signal))
      turn = mine.catch(() => undefined)
      return (await mine) ? forward : empty
    },
    after({ kind, most }: RequestFacts, { micros }: RequestOutcome) {
      if (kind === 'free') return
      const dearest = most?.micros ?? 0
      underWay -= dearest
      used += micros ?? dearest
    },
    spent: () => used + underWay,
  }
}

const empty = {
  kind: 'refuse',
  status: 429,
  message: 'The batch has no money left for this request.',
} as const

function unpriced(model: string | undefined): RequestWord {
  const which =
    model === undefined ? 'It cannot be seen which model is asked' : `The price of ${model} is not known`
  return { kind: 'refuse', status: 400, message: `${which}, and the batch has a ceiling in dollars.` }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })
}
