import { type Clock, inTime } from '../kit/index.ts'
import type { Channel, Delivered } from './deliver.ts'
import type { Notice, NoticeBody } from './notice.ts'

export interface TargetQueueOptions {
  readonly channel: Channel
  readonly clock: Clock
  readonly bodyOf: (notice: Notice) => NoticeBody
  /** It was told, or will never be: everything up to it is done with. Must not throw. */
  readonly done: (notice: Notice) => void
  /** It will never be told, and why. Must not throw. */
  readonly failed: (message: string) => void
}

/** Milliseconds before the second try, the third and the fourth. */
const delays = [5_000, 30_000, 120_000] as const

/** What one target is still to be told, one after the other. Nobody waits for it but `close`. */
export class TargetQueue {
  readonly #options: TargetQueueOptions
  readonly #stop = new AbortController()
  /** Aborted when nothing waits for another time any more. */
  readonly #hurry = new AbortController()
  readonly #waiting: Notice[] = []
  #working: Promise<void> | undefined

  constructor(options: TargetQueueOptions) {
    this.#options = options
  }

  put(notice: Notice): void {
    this.#waiting.push(notice)
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  /** Resolves when all was told, or after `ms`; then nothing is sent any more. Never rejects. */
  async close(ms: number): Promise<void> {
    this.#hurry.abort()
    if (this.#working) await inTime(this.#working, { clock: this.#options.clock, ms })
    this.#stop.abort()
    await this.#working
  }

  async #work(): Promise<void> {
    for (let notice = this.#waiting[0]; notice; notice = this.#waiting[0]) {
      const delivered = await this.#tell(notice)
      // What could not be told before the end is told after the next start.
      if (!delivered.ok && (this.#stop.signal.aborted || (this.#hurry.signal.aborted && delivered.retriable)))
        return
      this.#waiting.shift()
      if (!delivered.ok) this.#options.failed(delivered.message)
      this.#options.done(notice)
    }
  }

  async #tell(notice: Notice): Promise<Delivered> {
    const { channel, clock, bodyOf } = this.#options
    for (let tries = 0; ; tries++) {
      const delivered = await channel.deliver(notice, bodyOf(notice), this.#stop.signal)
      const delay = delays[tries]
      if (delivered.ok || !delivered.retriable || delay === undefined || this.#hurry.signal.aborted)
        return delivered
      const early = AbortSignal.any([this.#stop.signal, this.#hurry.signal])
      await clock.sleep(delay, early).catch(() => undefined)
      if (this.#stop.signal.aborted) return delivered
    }
  }
}
