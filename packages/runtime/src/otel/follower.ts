import type { JournaledEvent } from '@weave/protocol'
import type { History } from '../journal/index.ts'
import type { Clock, Log } from '../kit/index.ts'
import { collectorOf } from './collector.ts'
import { readSentNote, type SentNote } from './cursor.ts'
import type { CollectorClient } from './export.ts'
import { createFold, type Fold } from './fold.ts'
import { isSampled, readTraceparent, traceIdOf } from './ids.ts'
import type { LiveMetrics } from './metrics.ts'
import { pastEvents } from './past-events.ts'
import { withPrompts } from './prompts.ts'
import { queueLimits, SpanQueue } from './queue.ts'
import type { EndedSpan } from './span.ts'
import type { TracedRun } from './thread-messages.ts'

export interface FollowerOptions extends TracedRun {
  readonly history: History
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
/** So many events may come together while the past is read; then sending does not wait for the collector any more. */
const mostBehind = 50_000

/**
 * Makes spans of the events of a run and sends them. Begins with what ended before this start and no collector has taken.
 * Nothing that goes wrong in it throws: it is said in the log.
 */
export class Follower {
  readonly #options: FollowerOptions
  #note: SentNote = { seq: 0, startedBy: {} }
  #events: JournaledEvent[] = []
  #queue: SpanQueue | undefined
  #metrics: LiveMetrics | undefined
  #working: Promise<void> | undefined
  readonly #opening: Promise<void>
  #fold: Fold | undefined
  #losses = { count: 0, why: '' }
  #isOff = false
  readonly #closing = new AbortController()

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#opening = this.#open().catch((error: unknown) => this.#giveUp(error))
  }

  /** Events of the run, as the texts in which they travel. */
  hear(texts: readonly string[]): void {
    if (this.#isOff) return
    for (const text of texts) this.#events.push(JSON.parse(text) as JournaledEvent)
    if (this.#fold) this.#work()
  }

  async close(): Promise<void> {
    const { clock } = this.#options
    const until = clock.monotonic() + longestGoodbye
    this.#closing.abort()
    await this.#opening
    while (this.#working) await this.#working
    await this.#queue?.flush(Math.max(0, until - clock.monotonic()))
    await this.#metrics?.close(Math.max(100, until - clock.monotonic()))
    this.#sayLosses()
  }

  #giveUp(error: unknown): void {
    this.#isOff = true
    this.#events = []
    this.#fold = undefined
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
      limits: queueLimits(environment),
      clock,
      post: (spans, signal) => client.post(spans, signal),
      taken: spans => this.#taken(spans),
      lost: (count, why) => this.#lost(count, why),
    })
    if (settings.metrics) this.#metrics = await openMetrics(client, this.#options)
    const startedBy = (runId: string) => readTraceparent(this.#note.startedBy[runId])
    const { names, content } = settings
    const fold = createFold({ executionId, names, content, rehearsal, startedBy })
    // Half of a past gives wrong spans: then the next start sends them.
    if (!(await this.#readPast(fold))) return
    this.#fold = fold
    this.#work()
  }

  /** What was written before this start. False: there was no time for all of it. */
  async #readPast(fold: Fold): Promise<boolean> {
    const { history, settings, firstLive } = this.#options
    const query = { content: settings.content, upTo: firstLive - 1 }
    for await (const { events } of pastEvents(history, query)) {
      for (const event of events) {
        const spans = fold.add(event).filter(({ seq }) => seq > this.#note.seq)
        if (spans.length > 0) await this.#offerWhenRoom(spans)
      }
      if (this.#closing.signal.aborted && this.#pastIsLong()) return false
    }
    return true
  }

  #pastIsLong(): boolean {
    return this.#options.firstLive > 20_000
  }

  /** The past may be longer than the queue; but nothing waits for a collector that is not there. */
  async #offerWhenRoom(spans: readonly EndedSpan[]): Promise<void> {
    const { clock, environment } = this.#options
    const { waiting } = queueLimits(environment)
    const mayWait = () =>
      this.#queue?.isTaken === true && this.#events.length < mostBehind && !this.#closing.signal.aborted
    while ((this.#queue?.size ?? 0) + spans.length > waiting && mayWait()) await clock.sleep(20)
    await this.#offer(spans)
  }

  #work(): void {
    if (this.#events.length === 0) return
    this.#working ??= this.#workOff().finally(() => {
      this.#working = undefined
      this.#work()
    })
  }

  async #workOff(): Promise<void> {
    const events = this.#events
    this.#events = []
    const spans = events.flatMap(event => {
      this.#noteStarter(event)
      return this.#fold?.add(event) ?? []
    })
    if (spans.length === 0) return
    for (const span of spans) this.#metrics?.record(span)
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
