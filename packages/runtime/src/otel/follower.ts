import type { JournaledEvent } from '@weave/protocol'
import type { createTail, History } from '../journal/index.ts'
import type { Clock, Log } from '../kit/index.ts'
import { collectorOf } from './collector.ts'
import { readSentNote, type SentNote } from './cursor.ts'
import type { CollectorClient } from './export.ts'
import { createFold, type Fold } from './fold.ts'
import { isSampled, readTraceparent, traceIdOf } from './ids.ts'
import type { LiveMetrics } from './metrics.ts'
import { foldedEvents } from './past-events.ts'
import { withPrompts } from './prompts.ts'
import { type QueueLimits, queueLimits, SpanQueue } from './queue.ts'
import type { EndedSpan } from './span.ts'
import type { TracedRun } from './thread-messages.ts'

export interface FollowerOptions extends TracedRun {
  readonly history: Pick<History, 'type' | 'event'>
  readonly tail: ReturnType<typeof createTail>
  readonly clock: Clock
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** So far spans were taken: to be kept for the next start. */
  readonly sent: (note: SentNote) => void
  /** The same without secrets. */
  readonly clean: (attributes: EndedSpan['attributes']) => Promise<EndedSpan['attributes']>
}

/** Milliseconds. */
export const longestGoodbye = 5_000
const lossesSaidEvery = 60_000
/** While the run goes on, spans take a twenty-fifth of the time of one core at most. */
const restPerWork = 24
const longestRest = 2_000

/** What was written last may be on its way to the disk when a run ends; when the disk refused it, it never comes. */
const looksAtEnd = 10
const betweenLooks = 50

/**
 * Makes spans of the journal of a run and sends them. Begins with what ended before this start and no collector has taken.
 * Nothing that goes wrong in it throws: it is said in the log.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #limits: QueueLimits
  #note: SentNote = { seq: 0, startedBy: {} }
  #queue: SpanQueue | undefined
  #metrics: LiveMetrics | undefined
  #fold: Fold | undefined
  #reading: Promise<void>
  #hasMore = false
  #rested = performance.eventLoopUtilization()
  #losses = { count: 0, why: '' }
  #isOff = false
  readonly #closing = new AbortController()

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#limits = queueLimits(options.environment)
    this.#reading = this.#open().catch((error: unknown) => this.#giveUp(error))
  }

  /** More was written. */
  readOn(): void {
    if (this.#hasMore) return
    this.#hasMore = true
    this.#reading = this.#reading.then(() => this.#read()).catch((error: unknown) => this.#giveUp(error))
  }

  /** Reads up to this event and sends what is left. */
  async close(lastSeq: number): Promise<void> {
    const { clock, tail } = this.#options
    const until = clock.monotonic() + longestGoodbye
    this.#closing.abort()
    for (let look = 0; look < looksAtEnd; look++) {
      this.readOn()
      await this.#reading
      if (this.#isOff || tail.lastSeq() >= lastSeq) break
      await clock.sleep(betweenLooks)
    }
    await this.#queue?.flush(Math.max(0, until - clock.monotonic()))
    await this.#metrics?.close(Math.max(100, until - clock.monotonic()))
    this.#sayLosses()
  }

  #giveUp(error: unknown): void {
    this.#isOff = true
    this.#options.log.warn('OTEL', `no spans are sent: ${String(error)}`)
  }

  async #open(): Promise<void> {
    const { settings, executionId, rehearsal, environment, layout, clock, log, weaveVersion } = this.#options
    const collector = collectorOf(environment)
    for (const { where, message } of collector.problems) log.warn('OTEL', `${where}: ${message}`)
    if (!isSampled(traceIdOf(executionId), collector.ratio)) {
      this.#isOff = true
      return
    }
    const { openCollector } = await import('./export.ts')
    const client = openCollector({ collector, names: settings.names, version: weaveVersion })
    this.#note = await readSentNote(layout.tracesFile)
    this.#queue = new SpanQueue({
      limits: this.#limits,
      clock,
      post: (spans, signal) => client.post(spans, signal),
      taken: spans => this.#taken(spans),
      lost: (count, why) => this.#lost(count, why),
    })
    if (settings.metrics) this.#metrics = await openMetrics(client, this.#options)
    const startedBy = (runId: string) => readTraceparent(this.#note.startedBy[runId])
    const { names, content } = settings
    this.#fold = createFold({ executionId, names, content, rehearsal, startedBy })
    await this.#read()
  }

  async #read(): Promise<void> {
    const { history, tail, settings } = this.#options
    const eventsOf = foldedEvents(history, settings.content)
    this.#hasMore = false
    for await (const lines of this.#isOff ? [] : tail.read()) {
      const spans = (await eventsOf(lines)).flatMap(event => this.#spansOf(event))
      while (spans.length > 0) await this.#offerWhenRoom(spans.splice(0, this.#limits.batch))
      await this.#rest()
      // Half of a past gives wrong spans: then the next start sends them.
      if (!this.#closing.signal.aborted || !this.#pastIsLong()) continue
      this.#isOff = true
      return
    }
  }

  /** The journal keeps what it does not come to meanwhile. */
  async #rest(): Promise<void> {
    const now = performance.eventLoopUtilization()
    const { active } = performance.eventLoopUtilization(now, this.#rested)
    this.#rested = now
    const ms = Math.min(active * restPerWork, longestRest)
    await this.#options.clock.sleep(ms, this.#closing.signal).catch(() => undefined)
  }

  /** Those that end with it and no collector has taken. */
  #spansOf(event: JournaledEvent): readonly EndedSpan[] {
    const isPast = event.seq < this.#options.firstLive
    if (!isPast) this.#noteStarter(event)
    const spans = this.#fold?.add(event) ?? []
    if (isPast) return spans.filter(({ seq }) => seq > this.#note.seq)
    for (const span of spans) this.#metrics?.record(span)
    return spans
  }

  /** There is more to read than there is time for at the end. */
  #pastIsLong(): boolean {
    const { firstLive, tail } = this.#options
    return firstLive > 20_000 && tail.lastSeq() < firstLive
  }

  /** What was written may be more than the queue holds; but nothing waits for a collector that is not there. */
  async #offerWhenRoom(spans: readonly EndedSpan[]): Promise<void> {
    const { clock } = this.#options
    const { waiting } = this.#limits
    const mayWait = () => this.#queue?.isTaken === true && !this.#closing.signal.aborted
    while ((this.#queue?.size ?? 0) + spans.length > waiting && mayWait()) await clock.sleep(20)
    await this.#offer(spans)
  }

  async #offer(spans: readonly EndedSpan[]): Promise<void> {
    const { settings, layout, clean } = this.#options
    if (settings.content !== 'all') this.#queue?.offer(spans)
    else
      for (const span of spans) {
        const asked = await withPrompts(span, layout)
        this.#queue?.offer([{ ...asked, attributes: await clean(asked.attributes) }])
      }
  }

  /** Runs of this start were started by whoever started this program. */
  #noteStarter({ type, data }: JournaledEvent): void {
    const parent = this.#options.environment['TRACEPARENT']
    if (type !== 'state.transition' || data.transitionType !== 'RunStarted' || data.runId === undefined)
      return
    if (parent === undefined || !readTraceparent(parent)) return
    this.#note = { ...this.#note, startedBy: { ...this.#note.startedBy, [data.runId]: parent } }
  }

  #taken(spans: readonly EndedSpan[]): void {
    const last = spans.at(-1)
    if (!last) return
    const seq = Math.max(this.#note.seq, last.isLastOfEvent ? last.seq : last.seq - 1)
    this.#note = { ...this.#note, seq }
    this.#options.sent(this.#note)
  }

  #lost(count: number, why: string): void {
    const isFirst = this.#losses.count === 0
    this.#losses = { count: this.#losses.count + count, why }
    if (!isFirst || this.#closing.signal.aborted) return
    const { clock } = this.#options
    const stop = clock.every(lossesSaidEvery, () => {
      stop()
      this.#sayLosses()
    })
  }

  #sayLosses(): void {
    const { count, why } = this.#losses
    if (count === 0) return
    this.#losses = { count: 0, why: '' }
    const cure = 'weave export --otlp sends them'
    this.#options.log.warn('OTEL', `${count} spans were not sent: ${why}; ${cure}`)
  }
}

async function openMetrics(client: CollectorClient, { settings, clock, environment, log }: FollowerOptions) {
  const { openLiveMetrics } = await import('./metrics.ts')
  return openLiveMetrics({ client, names: settings.names, clock, environment, log })
}
