import { setImmediate } from 'node:timers/promises'
import type { Harness, HarnessEvent } from '../packages/runtime/src/harness/index.ts'
import { systemClock } from '../packages/runtime/src/kit/index.ts'
import { threadTime } from '../test/support/thread-time.ts'

/** Milliseconds. */
export interface Spent {
  readonly wall: number
  /** What this process has computed; unlike `wall`, without what other programs do and without the disk. */
  readonly cpu: number
  /** The same for the thread of the run alone. */
  readonly thread: number
}

/** What is told of a turn: what was said, the call, two changes of the state, the usage, the result. */
const eventsPerTurn = 6

export function perSecond(turns: number, milliseconds: number): number {
  return ((turns * eventsPerTurn) / milliseconds) * 1000
}

export const words = 'An ordinary event of about three hundred bytes, as a message would be. '.repeat(2)

/** An agent that makes so many turns and then waits to be stopped; and what the turns took. */
export function busyAgent(
  turns: number,
  /** Milliseconds, by which what was started with the run is ready. */
  quiet: number,
): { readonly harness: Harness; readonly spent: Promise<Spent> } {
  let done: (spent: Spent) => void = () => undefined
  const spent = new Promise<Spent>(resolve => {
    done = resolve
  })
  const harness: Harness = {
    async *start(_, signal) {
      yield { type: 'session', sessionId: 'bench' }
      await systemClock.sleep(quiet)
      const began = performance.now()
      const before = process.cpuUsage()
      const threadBefore = threadTime()
      for (let at = 0; at < turns; at++) {
        yield* turn(`${at}`)
        await setImmediate()
      }
      const { user, system } = process.cpuUsage(before)
      const thread = threadTime() - threadBefore
      done({ wall: performance.now() - began, cpu: (user + system) / 1000, thread })
      await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      const reason = { type: 'unknown', retriable: false, message: 'stopped' } as const
      yield { type: 'ended', end: { ok: false, exit: { type: 'killed', signal: 'SIGTERM' }, reason } }
    },
  }
  return { harness, spent }
}

function* turn(id: string): Generator<HarnessEvent> {
  const tokens = { inputTokens: 900, outputTokens: 90, cacheCreationTokens: 0, cacheReadTokens: 0 }
  yield { type: 'text', text: `${id} ${words}` }
  yield { type: 'tool-call', id, name: 'Bash', input: { command: `grep -n ${id} notes.md` } }
  yield { type: 'usage', messageId: id, tokens, dollars: 0.001 }
  yield { type: 'tool-result', id, name: 'Bash', output: words, durationMs: 10, isError: false }
}
