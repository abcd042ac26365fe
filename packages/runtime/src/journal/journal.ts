import * as fs from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventData, events, type JournaledEvent, type JournaledType } from '@weave/protocol'
import { type Clock, createId, isoTime, messageOf, type Redactor } from '../kit/index.ts'
import { createSpill, needsSpill, type Spill } from './blobs.ts'
import { createHistory, type History } from './history.ts'
import { encodeEvent, encodeLine, eventText, type Origin } from './line.ts'
import { addCounts, countOf, type EventCounts, noEvents } from './line-reader.ts'
import { createNotifier, type Entry, type Listener, type RecordedEvent } from './notify.ts'
import { openSegmentWriter, type SegmentWriter } from './segment-writer.ts'
import { listSegments, loadIndex, type SegmentIndex } from './segments.ts'
import {
  inspectJournal,
  type OpeningFindings,
  repairTail,
  type Tail,
  type TailRepair,
} from './tail-repair.ts'
import { separateWriters } from './two-writers.ts'

export interface AppendOptions {
  /** The id of the command that this event answers. */
  readonly commandId?: string | undefined
  /** Absent: nothing that needs to be kept apart. */
  readonly origin?: Origin | undefined
}

/** The disk refused. The run must stop: what happens from now on could not be recorded. */
export class JournalFailure extends Error {
  override readonly name = 'JournalFailure'
}

export interface JournalOptions {
  readonly dir: string
  readonly clock: Clock
  readonly redactor: Redactor
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld?: (() => void) | undefined
  /** Called once, when the disk refuses. */
  readonly onFailure?: (failure: JournalFailure) => void
  readonly onListenerError?: (error: unknown) => void
  /** A segment that has grown past this is closed and a new one begun. */
  readonly segmentBytes?: number
  /** `false`: nobody relies on it before whoever opens it has synced all it is a part of. */
  readonly syncs?: boolean
  /** Of the newest segment, by whoever has just written it and knows that it is whole: it is not read again. */
  readonly known?: SegmentIndex | undefined
}

/** Events that need no sync of their own are synced this long after they were written, at the latest. */
const syncDelay = 100
const defaultSegmentBytes = 16 * 1024 * 1024

export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { dir, segmentBytes = defaultSegmentBytes, assertHeld, syncs = true, known } = options
  const blobDir = join(dir, 'blobs')
  await mkdir(blobDir, { recursive: true, mode: 0o700 })
  const found = await inspectJournal(dir, { thorough: true, known })
  const otherWriter = found.findings.doubled > 0 ? await separateWriters(found.segments) : undefined
  const inspected = otherWriter ? await inspectJournal(dir, { thorough: true }) : found
  const tail = await repairTail(inspected)
  const counts = await countEvents(dir, tail)
  const writer = openSegmentWriter({ dir, tail, segmentBytes, assertHeld, syncs })
  const findings = { ...inspected.findings, ...(otherWriter && { otherWriter }) }
  return new OpenJournal({ ...options, writer, spill: createSpill(blobDir), tail, findings, counts })
}

/** From the indexes of the full segments, and of the last one as it was read just now. */
async function countEvents(dir: string, tail: Tail): Promise<EventCounts> {
  let counts = tail.index?.counts ?? noEvents
  for (const { path } of (await listSegments(dir)).slice(0, -1)) {
    // Of a segment that cannot be read nobody gets anything.
    const index = await loadIndex(path).catch(() => undefined)
    counts = addCounts(counts, index?.counts ?? noEvents)
  }
  return counts
}

interface JournalParts extends JournalOptions {
  readonly writer: SegmentWriter
  readonly spill: Spill
  readonly tail: Tail
  readonly findings: OpeningFindings
  readonly counts: EventCounts
}

/** What everyone else sees of it. */
export type Journal = Readonly<Pick<OpenJournal, keyof OpenJournal>>

/**
 * The record of an execution: every event that was ever emitted.
 *
 * - **J1** One funnel: redact, write, notify, in this order. What was heard is on disk; what is on disk has no secrets.
 * - **J2** `seq` grows by one from 1 without gaps, over restarts too.
 * - **J3** Events are heard in the order of their `seq`, each once, after they are written; events whose row says
 *   `synced` after they are safe against power loss.
 * - **J4** Events of one tick share one write. A `synced` event is written, synced and heard before `append` returns,
 *   together with everything appended before it.
 * - **J5** After a failed write or sync nothing more is written or heard, ever: `append` throws, `failure` says why.
 */
class OpenJournal {
  readonly history: History
  /** What opening had to mend at its end, if anything. */
  readonly repair: TailRepair | undefined
  /** What opening found amiss anywhere. */
  readonly findings: OpeningFindings
  /** The last `seq` given out. */
  lastSeq: number
  /** The last `seq` given out to an event without an origin; 0 when there was none since the journal was opened. */
  lastSeqWithoutOrigin = 0
  /** Of what is written and can be read. */
  counts: EventCounts
  failure: JournalFailure | undefined

  readonly #options: JournalOptions
  readonly #writer: SegmentWriter
  readonly #spill: Spill
  readonly #notifier: ReturnType<typeof createNotifier>
  #pending: { readonly line: string; readonly entry: Entry }[] = []
  #unsyncedBlobs: string[] = []
  #flushScheduled = false
  /** Something is written that is not synced yet. */
  #dirty = false
  #syncTimer: NodeJS.Timeout | undefined
  #syncRunning: Promise<void> | undefined
  #isClosed = false

  constructor({ writer, spill, tail, findings, counts, ...options }: JournalParts) {
    this.#options = options
    this.counts = counts
    this.#writer = writer
    this.#spill = spill
    this.#notifier = createNotifier(options.onListenerError)
    this.history = createHistory({ dir: options.dir, active: () => writer.index() })
    this.repair = tail.repair
    this.findings = findings
    this.lastSeq = tail.nextSeq - 1
  }

  /** Takes an event. Throws `JournalFailure` when the disk refused once. Returns the event as it was recorded. */
  append<T extends JournaledType>(
    type: T,
    raw: EventData<T>,
    { commandId, origin }: AppendOptions = {},
  ): JournaledEvent<T> {
    if (this.failure) throw this.failure
    const { clock, redactor } = this.#options
    let json = JSON.stringify(raw)
    let data = raw
    // The cheap question is asked of the serialised text; nearly all events are clean.
    if (redactor.suspects(json)) {
      data = redactor.json(raw)
      json = JSON.stringify(data)
    }
    const timestamp = isoTime(clock.now())
    const envelope = { seq: this.lastSeq + 1, id: createId('evt'), timestamp, type, data }
    const event = commandId === undefined ? envelope : { ...envelope, commandId: redactor.text(commandId) }
    // `JournaledEvent` distributes over the types, which a generic `type` cannot show the compiler.
    this.#take(event as unknown as JournaledEvent, json, origin)
    // Whoever is answered may rely on it.
    if (events[type].durability === 'synced' || commandId !== undefined) this.flush()
    else this.#flushThisTick()
    return event as JournaledEvent as JournaledEvent<T>
  }

  /** Writes, syncs and emits all that was appended so far; blocks. Throws `JournalFailure`. */
  flush(): void {
    this.#commit(() => {
      const blobs = this.#unsyncedBlobs.splice(0)
      if (this.#options.syncs !== false) for (const path of blobs) syncFile(path)
      if (this.#dirty) this.#writer.syncNow()
      this.#dirty = false
    })
  }

  /**
   * Resolves when all that was appended so far is safe against power loss. Group commit: whoever waits shares one sync;
   * what is written meanwhile waits for the next. Rejects with `JournalFailure`.
   */
  async synced(): Promise<void> {
    clearTimeout(this.#syncTimer)
    this.#syncTimer = undefined
    this.#commit()
    await this.#syncRunning
    if (!this.#dirty) return
    this.#dirty = false
    const running = this.#syncInBackground().finally(() => {
      if (this.#syncRunning === running) this.#syncRunning = undefined
    })
    this.#syncRunning = running
    await running
  }

  /** Calls `listener` for every event from now on. It must be quick; what it throws goes to `onListenerError`. */
  subscribe(listener: Listener): () => void {
    return this.#notifier.subscribe(listener)
  }

  /** Flushes and releases the file. Rejects with `JournalFailure` when the flush fails. */
  async close(): Promise<void> {
    // Twice would close a descriptor that may be another's by then.
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#syncTimer)
    await this.#syncRunning?.catch(() => undefined)
    try {
      this.flush()
    } finally {
      this.#writer.close()
      this.failure ??= new JournalFailure(`The journal in ${this.#options.dir} is closed.`)
    }
  }

  #take(event: JournaledEvent, json: string, origin: Origin | undefined): void {
    const recorded: RecordedEvent = origin === undefined ? event : { ...event, origin }
    if (needsSpill(json)) this.#takeLarge(recorded, json, encodeEvent(event, json))
    else {
      const line = encodeLine(recorded, json)
      const text = origin === undefined ? eventText(line) : encodeEvent(event, json)
      this.#pending.push({ line, entry: { event: recorded, text } })
    }
    this.lastSeq++
    if (origin === undefined) this.lastSeqWithoutOrigin = this.lastSeq
  }

  #takeLarge(event: RecordedEvent, json: string, text: string): void {
    this.#guarded(() => {
      const spilled = this.#spill(event.data)
      this.#unsyncedBlobs.push(...(spilled?.written ?? []))
      const line = encodeLine(event, spilled?.data ?? json, spilled?.blobs)
      this.#pending.push({ line, entry: { event, text } })
    })
  }

  #flushThisTick(): void {
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      if (this.failure) return
      try {
        this.#commit()
      } catch {
        return // `onFailure` was called; there is nobody else to notify here.
      }
      if (this.#dirty)
        this.#syncTimer ??= setTimeout(() => void this.synced().catch(() => undefined), syncDelay)
    })
  }

  /** Writes what is pending, makes it as safe as asked, then notifies (J3). */
  #commit(secure: () => void = () => undefined): void {
    const batch = this.#pending
    const first = batch[0]
    this.#guarded(() => {
      if (first) {
        this.#pending = []
        const types = batch.map(item => item.entry.event.type)
        this.#writer.write(
          batch.map(item => item.line),
          first.entry.event.seq,
          types,
        )
        this.counts = addCounts(this.counts, countOf(types))
        this.#dirty = true
      }
      secure()
    })
    if (first) this.#notifier.notify(batch.map(item => item.entry))
  }

  async #syncInBackground(): Promise<void> {
    try {
      for (const path of this.#unsyncedBlobs.splice(0)) syncFile(path)
      await this.#writer.sync()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** Runs something that touches the disk; the first error is the end (J5). */
  #guarded(effect: () => void): void {
    if (this.failure) throw this.failure
    try {
      this.#options.assertHeld?.()
      effect()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #fail(error: unknown): JournalFailure {
    if (this.failure) return this.failure
    const reason = messageOf(error)
    this.failure = new JournalFailure(`The journal in ${this.#options.dir} cannot be written: ${reason}`, {
      cause: error,
    })
    this.#pending = []
    this.#options.onFailure?.(this.failure)
    return this.failure
  }
}

function syncFile(path: string): void {
  const fd = fs.openSync(path, 'r')
  try {
    fs.fdatasyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
