import type { RequestFacts, RequestOutcome, RequestWord } from './messages.ts'

/** One rule that every request to a provider is under. */
export interface RequestRule {
  /** Settles when it may go out, or with why it may not. When nobody waits any more, the signal aborts. */
  before(facts: RequestFacts, signal: AbortSignal): Promise<RequestWord>
  /** Once for each that this rule let through: what became of it; `micros` of 0 and no status: it never went out. */
  after(facts: RequestFacts, outcome: RequestOutcome): void
}

/** The requests of one turn, by their numbers. */
export interface Requests {
  /** Never rejects. */
  asked(id: number, facts: RequestFacts): Promise<RequestWord>
  answered(id: number, outcome: RequestOutcome): void
  /** Nobody waits for the word any more. */
  forget(id: number): void
}

interface Open {
  readonly facts: RequestFacts
  readonly waiting: AbortController
  /** It may go out. */
  readonly isLet: boolean
}

const forward = { kind: 'forward' } as const
const neverSent: RequestOutcome = { micros: 0, tokens: 0 }

/** Under all rules, one after the other: the first that refuses is the answer, and those before it are told. */
export function createRequests(rules: readonly RequestRule[]): Requests {
  const open = new Map<number, Open>()
  const tell = (id: number, outcome: RequestOutcome, passed: readonly RequestRule[] = rules): void => {
    const found = open.get(id)
    open.delete(id)
    if (found) for (const rule of passed) rule.after(found.facts, outcome)
  }
  return {
    async asked(id, facts) {
      const waiting = new AbortController()
      open.set(id, { facts, waiting, isLet: false })
      for (const [at, rule] of rules.entries()) {
        const word = await rule.before(facts, waiting.signal).catch(refusal)
        if (word.kind === 'forward' && !waiting.signal.aborted) continue
        tell(id, neverSent, rules.slice(0, word.kind === 'forward' ? at + 1 : at))
        return word
      }
      open.set(id, { facts, waiting, isLet: true })
      return forward
    },
    answered: (id, outcome) => tell(id, outcome),
    forget(id) {
      const found = open.get(id)
      // The word crossed this one: it came too late, and nothing went out.
      if (found?.isLet) tell(id, neverSent)
      else found?.waiting.abort()
    },
  }
}

function refusal(error: unknown): RequestWord {
  return { kind: 'refuse', status: 503, message: error instanceof Error ? error.message : String(error) }
}
