import { blobNames } from './blobs.ts'
import type { History } from './history.ts'
import { lineLength } from './line.ts'
import { createScratch, planType, type StoredEvent } from './line-reader.ts'
import { typeOf } from './line-type.ts'
import type { RecordedEvent } from './notify.ts'

/** Where a journal can be cut off after an event. */
export interface JournalCut {
  readonly seq: number
  /** Where the line of that event ends in its segment. */
  readonly end: number
  /** That lines up to it name. */
  readonly blobs: readonly string[]
}

/**
 * What one reading of a whole journal tells: enough for its state at any moment, its plans, and the place to cut it. The
 * lines that tell this are few, and are kept; a journal with a million others is read once and not again.
 */
export interface JournalSurvey {
  readonly lastSeq: number
  /** What changes the state, carries a plan, or ends a codon; in order. */
  readonly marked: readonly StoredEvent[]
  /** As `History` has it: each is parsed once. */
  event(stored: StoredEvent): Promise<RecordedEvent | undefined>
  /** Those that may carry a plan, newest first. */
  plans(): readonly StoredEvent[]
  /** After one of the events that are kept; undefined for others. */
  cutAfter(seq: number): JournalCut | undefined
}

/** The journal may be growing: what is written meanwhile may or may not be in it. Rejects with the system's error. */
export async function surveyJournal(history: History): Promise<JournalSurvey> {
  const marked: StoredEvent[] = []
  const blobs = new Map<string, number>()
  let lastSeq = 0
  const scratch = createScratch()
  for await (const { events } of history.pages({ ...wholePages, scratch })) {
    for (const stored of events) {
      const { seq, rest, spilled } = stored
      lastSeq = seq
      if (spilled) for (const name of blobNames(rest)) if (!blobs.has(name)) blobs.set(name, seq)
      // A copy: the next page is read into the same room.
      if (markedTypes.has(typeOf(stored))) marked.push({ ...stored, rest: Buffer.from(rest) })
    }
  }
  const read = new Map<StoredEvent, Promise<RecordedEvent | undefined>>()
  return {
    lastSeq,
    marked,
    event(stored) {
      const known = read.get(stored) ?? history.event(stored)
      read.set(stored, known)
      return known
    },
    plans: () => marked.filter(stored => typeOf(stored) === planType).toReversed(),
    cutAfter(seq) {
      const last = marked.find(stored => stored.seq === seq)
      if (!last) return undefined
      const named = [...blobs].flatMap(([name, first]) => (first <= seq ? [name] : []))
      return { seq, end: last.offset + lineLength(last.rest), blobs: named }
    },
  }
}

const wholePages = { upTo: Number.POSITIVE_INFINITY, maxEvents: 5_000, maxBytes: 8 * 1024 * 1024 }

const markedTypes: ReadonlySet<string> = new Set(['state.transition', 'codon.completed', planType])
