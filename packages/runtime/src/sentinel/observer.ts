import { setImmediate } from 'node:timers/promises'
import type { EventData, SentinelState } from '@weave/protocol'
import type { PatternCompiler, SentinelConfig } from '../hank/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Batch, Delivery } from './event-batch.ts'
import type { SentinelEventType } from './events.ts'
import { type Account, addAccounts } from './model-calls.ts'
import { createStrategy, type Strategy } from './strategy.ts'
import { createTrigger, type Trigger } from './trigger.ts'
import type { Fatal, Work, Worked } from './work.ts'

/** Emits an event of this sentinel; the ids are added. Must not throw. */
export type Emit = <T extends SentinelEventType>(
  type: T,
  data: Omit<EventData<T>, 'sentinelId' | 'codonId'>,
) => void

export interface ObserverOptions {
  readonly config: SentinelConfig
  readonly compile: PatternCompiler
  readonly work: Work
  readonly clock: Clock
  readonly emit: Emit
  /** A warning for people, where there is no event for it. Must not throw. */
  readonly warn: (message: string) => void
  /** After each change of `state`. Must not throw. */
  readonly changed: () => void
  /** What was spent before the first trigger: the health check, for the sentinel whose account it is on. */
  readonly spent: Account
}

/** Triggers that wait at most. */
const mostWaiting = 100

type UnloadReason = EventData<'sentinel.unloaded'>['reason']

/**
 * One sentinel at work in one codon.
 *
 * - **O1** `route` only matches and remembers; all work is done and all events are emitted later, one trigger at a time.
 * - **O2** At most 100 triggers wait. When one more comes the oldest is dropped and counted.
 * - **O3** It is unloaded exactly once; after that nothing is asked, written or emitted any more.
 */
export class Observer {
  readonly #options: ObserverOptions
  readonly #trigger: Trigger
  readonly #strategy: Strategy
  readonly #waiting: Batch[] = []
  readonly #stop = new AbortController()
  #spent: Account
  #triggerCount = 0
  #dropped = 0
  #failures = 0
  #unloaded: UnloadReason | undefined
  #working: Promise<void> | undefined
  #catchUp: () => void = () => undefined
  #isArmed = false
  #hasWarned = false

  constructor(options: ObserverOptions) {
    this.#options = options
    this.#trigger = createTrigger(options.config.trigger, options.compile)
    this.#strategy = createStrategy(options.config.execution)
    this.#spent = options.spent
  }

  get #isOver(): boolean {
    return this.#stop.signal.aborted
  }

  wants(type: string): boolean {
    return this.#trigger.wants(type)
  }

  /** The same text for observers that want the same events. */
  get interest(): string {
    return this.#trigger.interest
  }

  /** `catchUp`: routes what has not been routed yet. */
  follow(catchUp: () => void): void {
    this.#catchUp = catchUp
  }

  /** Give it the events that it wants. Never throws. */
  route(delivery: Delivery): void {
    if (this.#isOver) return
    const isDone = this.#trigger.isUnconditional && this.#strategy.addQuietly(delivery)
    if (!isDone) this.#routeEach(delivery)
    if (!this.#isArmed && this.#strategy.dueAt !== undefined) void this.#watchTime()
  }

  /** Works off all that is pending, batches that are not full included. Never rejects. */
  async drain(): Promise<void> {
    if (this.#isOver) return
    this.#flush()
    await this.#working
  }

  /** Stops what it is doing; what waits is given up. Never rejects. */
  async unload(reason: UnloadReason): Promise<void> {
    this.#stop.abort()
    await this.#working
    this.#end(reason)
  }

  /** Unloads it because something is wrong that will not pass. */
  giveUp(errorType: Fatal): void {
    this.#end('fatal-error', errorType)
  }

  get state(): SentinelState {
    const { dollars, isUnknown, tokens, calls } = this.#spent
    return {
      sentinelId: this.#options.config.id,
      status: this.#unloaded ? 'unloaded' : 'loaded',
      cost: dollars,
      ...(isUnknown && { costUnknown: true }),
      tokens,
      llmCallCount: calls,
      triggerCount: this.#triggerCount,
      ...(this.#dropped > 0 && { droppedTriggers: this.#dropped }),
      ...(this.#unloaded && { unloadReason: this.#unloaded }),
    }
  }

  #routeEach({ events, times }: Delivery): void {
    for (const [at, event] of events.entries()) {
      const fired = this.#trigger.feed(event)
      const batch = fired && this.#strategy.add(fired, times[at] ?? 0)
      if (batch) this.#offer(batch)
    }
  }

  #offer(batch: Batch): void {
    this.#waiting.push(batch)
    if (this.#waiting.length > mostWaiting) {
      this.#waiting.shift()
      this.#dropped++
    }
    this.#working ??= this.#workOff()
  }

  async #workOff(): Promise<void> {
    for (;;) {
      // Whoever routed the event goes on first.
      await setImmediate()
      const batch = this.#isOver ? undefined : this.#waiting.shift()
      if (!batch) break
      await this.#handle(batch)
    }
    this.#working = undefined
  }

  async #handle(batch: Batch): Promise<void> {
    const { config, emit, work, changed } = this.#options
    const triggerNumber = ++this.#triggerCount
    const { eventCount } = batch
    const { strategy } = config.execution
    if (this.#dropped > 0) this.#warnOfDropped()
    emit('sentinel.triggered', { triggerNumber, strategy, eventCount, queueSize: this.#waiting.length })
    const worked = await work(batch, this.#stop.signal, output =>
      emit('sentinel.output', { triggerNumber, ...output, eventCount }),
    )
    this.#spent = addAccounts(this.#spent, worked.charge)
    if (worked.ok) this.#failures = 0
    else if (!this.#isOver) this.#fail(worked)
    changed()
  }

  /** Once: at the end the number follows. */
  #warnOfDropped(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#options.warn(`${mostWaiting} triggers are waiting; from now on the oldest are dropped`)
  }

  #fail({ error, message, retriable, fatal }: Extract<Worked, { ok: false }>): void {
    const { config, emit } = this.#options
    this.#failures++
    const consecutiveFailureCount = this.#failures
    emit('sentinel.error', { errorType: error, message, retriable, consecutiveFailureCount })
    const { maxConsecutiveFailures, unloadOnFatalError } = config.errorHandling
    if (fatal && unloadOnFatalError) this.#end('fatal-error', fatal)
    else if (this.#failures >= maxConsecutiveFailures) this.#end('consecutive-failures')
  }

  #end(reason: UnloadReason, errorType?: Fatal): void {
    if (this.#unloaded) return
    const { emit, warn, changed } = this.#options
    const healthChecks = this.#options.spent.calls
    this.#stop.abort()
    this.#unloaded = reason
    const waiting = this.#waiting.splice(0).length + (this.#strategy.take() ? 1 : 0)
    if (this.#dropped > 0) warn(`${this.#dropped} triggers were dropped because too many were waiting`)
    if (waiting > 0) warn(`${waiting} triggers were given up`)
    emit('sentinel.unloaded', {
      reason,
      ...(errorType && { errorType }),
      finalCost: this.#spent.dollars,
      llmCallCount: this.#spent.calls,
      ...(healthChecks > 0 && { healthCheckCount: healthChecks }),
    })
    changed()
  }

  /** Sleeps until the pending batch is due. One sleeper is enough: a due time only ever moves to later. */
  async #watchTime(): Promise<void> {
    const { clock } = this.#options
    this.#isArmed = true
    while (this.#strategy.dueAt !== undefined && !this.#isOver) {
      const wait = this.#strategy.dueAt - clock.monotonic()
      if (wait > 0) await clock.sleep(wait, this.#stop.signal).catch(() => undefined)
      else this.#flushIfDue()
    }
    this.#isArmed = false
  }

  /** What came before the moment may still be on its way, and may put the moment off. */
  #flushIfDue(): void {
    this.#catchUp()
    const { dueAt } = this.#strategy
    if (dueAt !== undefined && dueAt <= this.#options.clock.monotonic()) this.#flush()
  }

  #flush(): void {
    const batch = this.#strategy.take()
    if (batch) this.#offer(batch)
  }
}
