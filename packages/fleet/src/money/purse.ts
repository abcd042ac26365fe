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
  /** There is none right now. */
  readonly onWait: () => void
  /** There was none in time. */
  readonly onEmpty: () => void
  /** The epoch is not the newest. */
  readonly onLost: () => void
}

/** The money that was lent to one turn. A request goes out only when all that is under way, and it too, is paid for at its dearest. */
export interface Purse extends RequestRule {
  /**
   * Before a codon begins: borrows what the last request could cost at most, or at least so much, or anything at all when
   * nothing was asked yet. Waits for it as long as it is told to.
   */
  fund(wish: FundWish): Promise<Borrowed>
  /** Spent for certain, since it was last accounted for. */
  used(): number
  /** So much of that is in the books now, and no longer lent. */
  accounted(micros: number): void
  /** What is not accounted for: spent for certain, and what is under way at its dearest. */
  spent(): number
}

export interface FundWish {
  readonly least: number
  readonly longestMs: number
  readonly isOver: () => boolean
}

/** `over`: nobody wants it any more. */
export type Borrowed = 'enough' | 'empty' | 'lost' | 'over'

interface Patience {
  readonly deadline: number
  readonly isOver: () => boolean
  readonly signal: AbortSignal
}

const unending = new AbortController().signal

/** How often what a request can cost is asked for at once: itself, and two more. */
const ahead = 3
const lost = -1
const never = -2
const firstRetryMs = 250
const longestRetryMs = 5_000
const forward = { kind: 'forward' } as const

export function createPurse(options: PurseOptions): Purse {
  return new LentPurse(options)
}

class LentPurse implements Purse {
  readonly #options: PurseOptions
  #granted = 0
  #used = 0
  #underWay = 0
  /** The most that the request before could cost. */
  #dearest = 0
  /** One asks for money at a time: the next one sees what came. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: PurseOptions) {
    this.#options = options
  }

  async before({ kind, most, model }: RequestFacts, signal: AbortSignal): Promise<RequestWord> {
    if (kind === 'free') return forward
    if (most === undefined) return this.#options.hasCeiling ? unpriced(model) : forward
    this.#dearest = most.micros
    if (this.#reserve(most.micros)) return forward
    return (await this.#inTurn(() => this.#fill(most.micros, signal))) ? forward : empty
  }

  after({ kind, most }: RequestFacts, { micros }: RequestOutcome): void {
    if (kind === 'free') return
    const reserved = most?.micros ?? 0
    this.#underWay -= reserved
    this.#used += micros ?? reserved
  }

  async fund({ least, longestMs, isOver }: FundWish): Promise<Borrowed> {
    const patience = { deadline: performance.now() + longestMs, isOver, signal: unending }
    const found = await this.#inTurn(() => this.#borrow(Math.max(least, this.#dearest, 1), patience))
    if (found === 'lost') this.#options.onLost()
    return found
  }

  used(): number {
    return this.#used
  }

  accounted(micros: number): void {
    this.#used -= micros
    this.#granted -= micros
  }

  spent(): number {
    return this.#used + this.#underWay
  }

  #left(): number {
    return this.#granted - this.#used - this.#underWay
  }

  /** True: it is reserved. */
  #reserve(most: number): boolean {
    if (this.#options.hasCeiling && this.#left() < most) return false
    this.#underWay += most
    return true
  }

  /** Borrows until so much is at hand. */
  async #borrow(most: number, { deadline, isOver, signal }: Patience): Promise<Borrowed> {
    const { hasCeiling, grant, onWait } = this.#options
    for (let wait = firstRetryMs; !isOver(); wait = Math.min(2 * wait, longestRetryMs)) {
      const has = this.#left()
      if (!hasCeiling || has >= most) return 'enough'
      const got = await grant({ need: most - has, want: ahead * most, has }).catch(() => 0)
      if (got === lost) return 'lost'
      this.#granted += Math.max(got, 0)
      if (this.#left() >= most) return 'enough'
      if (got === never || performance.now() + wait > deadline) return 'empty'
      if (wait === firstRetryMs) onWait()
      await pause(wait, signal)
    }
    return 'over'
  }

  async #fill(most: number, signal: AbortSignal): Promise<boolean> {
    const { holdMs, onEmpty, onLost } = this.#options
    const patience = { deadline: performance.now() + holdMs, isOver: () => signal.aborted, signal }
    for (;;) {
      const found = await this.#borrow(most, patience)
      if (found === 'lost') onLost()
      if (found === 'empty') onEmpty()
      if (found !== 'enough') return false
      // Another one may have been quicker.
      if (this.#reserve(most)) return true
    }
  }

  /** One after the other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
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
