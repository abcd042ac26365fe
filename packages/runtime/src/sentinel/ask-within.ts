import type { Clock } from '../kit/index.ts'
import { messageOf } from '../kit/index.ts'
import type { Completion } from '../llm/index.ts'

export interface AskLimits {
  readonly clock: Clock
  readonly ms: number
  readonly signal: AbortSignal
}

/** A call that is stopped when it takes too long, or when `signal` aborts. Never rejects. */
export async function askWithin(
  ask: (signal: AbortSignal) => Promise<Completion>,
  { clock, ms, signal }: AskLimits,
): Promise<Completion> {
  const over = new AbortController()
  const late = new AbortController()
  clock.sleep(ms, AbortSignal.any([signal, over.signal])).then(
    () => late.abort(),
    () => undefined,
  )
  const answer = await ask(AbortSignal.any([signal, late.signal])).catch(broken)
  over.abort()
  if (answer.ok || !late.signal.aborted || signal.aborted) return answer
  return { ok: false, retriable: true, message: `There was no answer within ${ms / 1000} s.` }
}

function broken(error: unknown): Completion {
  const message = messageOf(error)
  return { ok: false, retriable: false, message: `The call failed: ${message}` }
}
