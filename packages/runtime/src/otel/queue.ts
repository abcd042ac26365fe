import { type Clock, inTime } from '../kit/index.ts'
import type { Posted } from './export.ts'
import type { EndedSpan } from './span.ts'

export interface QueueLimits {
  /** More spans than this do not wait. */
  readonly waiting: number
  readonly batch: number
  /** Milliseconds that a span waits for others. */
  readonly delay: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** As the standard variables for batches of spans say. */
export function queueLimits(environment: Environment): QueueLimits {
  const number = (name: string, otherwise: number): number => {
    const value = Number(environment[name]?.trim() || Number.NaN)
    return Number.isSafeInteger(value) && value > 0 ? value : otherwise
  }
  const waiting = number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048)
  return {
    waiting,
    batch: Math.min(waiting, number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
    delay: number('OTEL_BSP_SCHEDULE_DELAY', 5_000),
  }
}

export interface QueueOptions {
  readonly limits: QueueLimits
  readonly clock: Clock
  readonly post: (spans: readonly EndedSpan[], signal: AbortSignal) => Promise<Posted>
  /** A collector has taken them. Never called again once a span was lost. */
  readonly taken: (spans: readonly EndedSpan[]) => void
  /** `count` spans will not be sent, and why. Must not throw. */
  readonly lost: (count: number, why: string) => void
}

/**
 * Spans on their way to a collector, in order and one batch at a time. What a collector cannot take now waits; what it will
 * never take, and what finds the queue full, is lost and counted. Nobody waits for it but `flush`.
 */
export class SpanQueue {
  readonly #options: QueueOptions
  readonly #stop = new AbortController()
  #waiting: EndedSpan[] = []
  #working: Promise<void> | undefined
  #hurry = new AbortController()
  #isWhole = true
  #isFlushing = false
  #lastPost: Posted | undefined

  constructor(options: QueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Whether the last thing that a collector said was that it took something, or nobody has been asked yet. */
  get isTaken(): boolean {
    return this.#lastPost?.ok !== false
  }

  /** Why the last batch was not taken. */
  get trouble(): string | undefined {
    return this.#lastPost?.ok === false ? refusal(this.#lastPost) : undefined
  }

  offer(spans: readonly EndedSpan[]): void {
    const room = this.#options.limits.waiting - this.#waiting.length
    for (const span of spans.slice(0, room)) this.#waiting.push(span)
    if (spans.length > room) this.#lose(spans.length - Math.max(0, room), 'too many are waiting')
    // Each call makes an error with a stack, the second one too.
    if (this.#waiting.length >= this.#options.limits.batch && !this.#hurry.signal.aborted) this.#hurry.abort()
    this.#begin()
  }

  /** Resolves when all was sent or lost, or after `ms`; then nothing is sent any more. Never rejects. */
  async flush(ms: number): Promise<void> {
    this.#isFlushing = true
    this.#hurry.abort()
    this.#begin()
    await inTime(this.#working ?? Promise.resolve(), { clock: this.#options.clock, ms })
    this.#stop.abort()
    await this.#working
    const left = this.#waiting.splice(0).length
    if (left > 0) this.#lose(left, this.trouble ?? 'the collector is too slow')
  }

  #begin(): void {
    if (this.#stop.signal.aborted || this.#waiting.length === 0) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      if (!this.#isFlushing) this.#begin()
    })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stop.signal.aborted) {
      if (this.#waiting.length < this.#options.limits.batch || !this.isTaken) await this.#pause()
      if (!(await this.#send()) && this.#isFlushing) return
    }
  }

  /** For others to come, or for a collector to come back. */
  async #pause(): Promise<void> {
    const { clock, limits } = this.#options
    if (this.#isFlushing) return
    this.#hurry = new AbortController()
    const early = AbortSignal.any([this.#hurry.signal, this.#stop.signal])
    await clock.sleep(limits.delay, early).catch(() => undefined)
  }

  /** Whether the batch is out of the way. */
  async #send(): Promise<boolean> {
    const batch = this.#waiting.slice(0, this.#options.limits.batch)
    const posted = await this.#options.post(batch, this.#stop.signal)
    if (this.#stop.signal.aborted && !posted.ok) return false
    this.#lastPost = posted
    if (!posted.ok && posted.retriable) return false
    this.#waiting.splice(0, batch.length)
    if (!posted.ok) this.#lose(batch.length, refusal(posted))
    else if (posted.rejected > 0) this.#lose(posted.rejected, posted.message ?? 'the collector refused them')
    else if (this.#isWhole) this.#options.taken(batch)
    return true
  }

  #lose(count: number, why: string): void {
    this.#isWhole = false
    this.#options.lost(count, why)
  }
}

function refusal({ status, message }: Extract<Posted, { ok: false }>): string {
  return status === undefined ? message : `the collector answered ${status}: ${message}`
}
