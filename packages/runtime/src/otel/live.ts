import type { EventType, JournaledEvent } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock, Log, Redactor } from '../kit/index.ts'
import type { Settings } from '../settings/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { collectorOf } from './collector.ts'
import { readSentNote, type SentNote, writeSentNote } from './cursor.ts'
import type { CollectorClient } from './export.ts'
import { createFold, type Fold } from './fold.ts'
import { isSampled, readTraceparent, traceIdOf } from './ids.ts'
import type { LiveMetrics } from './metrics.ts'
import { foldedWith, pastEvents } from './past-events.ts'
import { withPrompts } from './prompts.ts'
import { queueLimits, SpanQueue } from './queue.ts'
import type { EndedSpan } from './span.ts'

export interface LiveOptions {
  readonly settings: Settings['otel']
  readonly executionId: string
  readonly rehearsal: boolean
  readonly layout: ExecutionLayout
  readonly journal: Pick<Journal, 'history' | 'subscribe' | 'lastSeq'>
  readonly redactor: Redactor
  readonly clock: Clock
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly weaveVersion: string
  /** Called before something is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
}

export interface LiveTraces {
  /** Sends what is left within five seconds. Never rejects. */
  close(): Promise<void>
}

/** Milliseconds. */
const longestGoodbye = 5_000
const gathering = 200
const lossesSaidEvery = 60_000
/** So many events may come together while the past is read; then sending does not wait for the collector any more. */
const mostBehind = 50_000

/**
 * Follows the journal of a run and sends the spans that are over. Begins with what ended before this start and no collector
 * has taken. Nothing of a run waits for it, and nothing that goes wrong in it reaches one: it is said in the log.
 */
export function startLiveTraces(options: LiveOptions): LiveTraces {
  const follower = new Follower(options)
  return { close: () => follower.close() }
}

class Follower {
  readonly #options: LiveOptions
  readonly #types: ReadonlySet<EventType>
  readonly #leave: () => void
  readonly #firstLive: number
  #note: SentNote = { seq: 0, startedBy: {} }
  #events: JournaledEvent[] = []
  #queue: SpanQueue | undefined
  #metrics: LiveMetrics | undefined
  #working: Promise<void> | undefined
  readonly #opening: Promise<void>
  #fold: Fold | undefined
  #losses = { count: 0, why: '' }
  #writing: Promise<void> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(options: LiveOptions) {
    const { journal, settings } = options
    this.#options = options
    this.#types = foldedWith(settings.content)
    this.#firstLive = journal.lastSeq + 1
    this.#leave = journal.subscribe(({ event }) => this.#hear(event))
    this.#opening = this.#open().catch((error: unknown) => this.#giveUp(error))
  }

  async close(): Promise<void> {
    const { clock, log } = this.#options
    const until = clock.monotonic() + longestGoodbye
    this.#closing.abort()
    this.#leave()
    await this.#opening
    while (this.#working) await this.#working
    await this.#queue?.flush(Math.max(0, until - clock.monotonic()))
    await this.#metrics?.close(Math.max(100, until - clock.monotonic()))
    await this.#writing
    this.#sayLosses()
    log.debug('OTEL', 'spans are sent')
  }

  #giveUp(error: unknown): void {
    this.#leave()
    this.#events = []
    this.#fold = undefined
    this.#options.log.warn('OTEL', `no spans are sent: ${String(error)}`)
  }

  #hear(event: JournaledEvent): void {
    if (!this.#types.has(event.type) || event.seq < this.#firstLive) return
    this.#events.push(event)
    if (this.#fold) this.#work()
  }

  async #open(): Promise<void> {
    const { settings, executionId, rehearsal, environment, layout, clock, log, weaveVersion } = this.#options
    const collector = collectorOf(environment)
    for (const { where, message } of collector.problems) log.warn('OTEL', `${where}: ${message}`)
    if (!isSampled(traceIdOf(executionId), collector.ratio)) {
      this.#leave()
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
    const { journal, settings } = this.#options
    const query = { content: settings.content, upTo: this.#firstLive - 1 }
    for await (const { events } of pastEvents(journal.history, query)) {
      for (const event of events) {
        const spans = fold.add(event).filter(({ seq }) => seq > this.#note.seq)
        if (spans.length > 0) await this.#offerWhenRoom(spans)
      }
      if (this.#closing.signal.aborted && this.#pastIsLong()) return false
    }
    return true
  }

  #pastIsLong(): boolean {
    return this.#firstLive > 20_000
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
    // Many at once cost less than one by one, and whoever wrote them goes on first.
    await this.#options.clock.sleep(gathering, this.#closing.signal).catch(() => undefined)
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
    const { settings, layout, redactor } = this.#options
    if (settings.content !== 'all') this.#queue?.offer(spans)
    else
      for (const span of spans) {
        const asked = await withPrompts(span, layout)
        this.#queue?.offer([{ ...asked, attributes: redactor.json(asked.attributes) }])
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
    const { layout, assertHeld } = this.#options
    this.#writing = this.#writing.then(async () => {
      try {
        assertHeld()
        await writeSentNote(layout.tracesFile, this.#note)
      } catch {
        // Then it is sent again.
      }
    })
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

async function openMetrics(client: CollectorClient, { settings, clock, environment, log }: LiveOptions) {
  const { openLiveMetrics } = await import('./metrics.ts')
  return openLiveMetrics({ client, names: settings.names, clock, environment, log })
}
