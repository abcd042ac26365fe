import type { Sql } from '../engine/database.ts'
import type { RequestFacts, RequestOutcome, RequestWord } from '../turn/messages.ts'
import type { RequestRule } from '../turn/requests.ts'

/** So many requests are asked for at once, when so many wait. */
const mostAtOnce = 10
/** When a provider refuses and does not say for how long. */
const usualWaitMs = 1_000
const engineAwayMs = 500
const longestWaitMs = 5_000
const forward = { kind: 'forward' } as const
const left = { kind: 'refuse', status: 499, message: 'The caller left.' } as const
/** What providers answer when there is too much, for one key or for all. */
const refusals: ReadonlySet<number> = new Set([429, 529])

interface Waiting {
  readonly facts: RequestFacts
  readonly go: (word: RequestWord) => void
  isOver: boolean
}

/** Holds the requests of one worker until the fleet may send them. One for all of its turns. */
export function createThrottle(sql: Sql): RequestRule {
  const queues = new Map<string, Waiting[]>()

  async function pump(key: string, queue: Waiting[]): Promise<void> {
    for (;;) {
      const open = queue.filter(({ isOver }) => !isOver)
      queue.splice(0, queue.length, ...open)
      const [first] = open
      if (!first) break
      const { got, wait } = await take(first.facts, Math.min(open.length, mostAtOnce))
      for (const each of queue.splice(0, got)) each.go(forward)
      if (got === 0 || queue.length > 0) await new Promise(resolve => setTimeout(resolve, wait))
    }
    queues.delete(key)
  }

  /** With tokens counted, each request is asked for alone: they differ. */
  async function take({ provider, model, most }: RequestFacts, wish: number) {
    try {
      const [row] = await sql.query<{ got: number; wait_ms: number }>(
        'select * from fleet.take($1, $2, $3, $4)',
        [provider, model ?? '', most === undefined ? wish : 1, most?.tokens ?? 0],
      )
      return { got: row?.got ?? 0, wait: Math.min(row?.wait_ms ?? 0, longestWaitMs) }
    } catch {
      return { got: 0, wait: engineAwayMs }
    }
  }

  return {
    before(facts, signal) {
      if (facts.kind === 'free') return Promise.resolve(forward)
      return new Promise<RequestWord>(resolve => {
        const leave = (): void => waiting.go(left)
        const waiting: Waiting = {
          facts,
          isOver: false,
          go(word) {
            waiting.isOver = true
            signal.removeEventListener('abort', leave)
            resolve(word)
          },
        }
        signal.addEventListener('abort', leave)
        const key = `${facts.provider}/${facts.model ?? ''}`
        const queue = queues.get(key)
        if (queue) {
          queue.push(waiting)
          return
        }
        const fresh = [waiting]
        queues.set(key, fresh)
        void pump(key, fresh)
      })
    },
    after({ provider, model, most, kind }, outcome: RequestOutcome) {
      if (kind === 'free') return
      const { status, retryAfterMs, tokens } = outcome
      const unused = most && tokens !== undefined ? most.tokens - tokens : 0
      const say = (text: string, value: number): void =>
        void sql.query(`select ${text}`, [provider, model ?? '', value]).catch(() => undefined)
      if (unused > 0) say('fleet.return_tokens($1, $2, $3)', unused)
      if (status !== undefined && refusals.has(status))
        say('fleet.pushed_back($1, $2, $3)', retryAfterMs ?? usualWaitMs)
    },
  }
}
