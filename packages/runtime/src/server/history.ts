import { type History, isForEveryone, type Page, type StoredEvent } from '../journal/index.ts'
import type { Semaphore } from '../kit/index.ts'

/**
 * Events of the journal as the inside of a JSON array. They are not parsed: a line of the journal without its checksum
 * is the event as it travels. Only an event with fields in the blob folder is put together again.
 */
export async function eventList(history: History, stored: readonly StoredEvent[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const [at, event] of stored.entries()) {
    if (event.spilled) parts.push(at === 0 ? nothing : comma, Buffer.from(await history.text(event)))
    else parts.push(at === 0 ? brace : commaBrace, event.rest)
  }
  return Buffer.concat(parts)
}

const nothing = Buffer.alloc(0)
const comma = Buffer.from(',')
const brace = Buffer.from('{')
const commaBrace = Buffer.from(',{')

interface HistoryStreamOptions {
  readonly history: History
  readonly readers: Semaphore
  readonly upTo: number
  readonly wantsExtensions: boolean
  readonly maxEvents: number
  readonly maxBytes: number
  /** Takes the inside of a JSON array of events. */
  readonly send: (events: Buffer, hasMore: boolean) => void
  readonly receiver: Receiver
  readonly onDamage: (page: Page) => void
}

interface Receiver {
  readonly isOpen: boolean
  /** Whether it took all that it was sent. */
  readonly isDrained: boolean
  /** Resolves when it has, or is gone. */
  drained(): Promise<void>
}

/** Pages that are read before another reader gets its turn. */
const pagesPerTurn = 16

/**
 * Streams the journal to one receiver, as fast as that one takes it. Few read at a time and for a short while each;
 * whoever waits for a slow receiver holds no file and no memory but one batch. Rejects with what the disk throws.
 */
export async function streamHistory(options: HistoryStreamOptions): Promise<void> {
  const batches = createBatches(options)
  let after = 0
  let hasMore = true
  while (hasMore && options.receiver.isOpen) {
    const release = await options.readers.acquire()
    try {
      const read = await readSome(options, after, batches)
      after = read.after
      hasMore = read.hasMore
    } finally {
      release?.()
    }
    await options.receiver.drained()
  }
  batches.end()
}

async function readSome(
  options: HistoryStreamOptions,
  after: number,
  batches: Batches,
): Promise<{ readonly after: number; readonly hasMore: boolean }> {
  const { history, upTo, maxEvents, maxBytes, receiver } = options
  let pages = 0
  let last = after
  for await (const page of history.pages({ after, upTo, maxEvents, maxBytes })) {
    if (page.problems.length > 0) options.onDamage(page)
    last = page.events.at(-1)?.seq ?? last
    await batches.add(page)
    pages++
    if (last > after && (pages >= pagesPerTurn || !receiver.isDrained)) return { after: last, hasMore: true }
  }
  return { after: last, hasMore: false }
}

interface Batches {
  add(page: Page): Promise<void>
  end(): void
}

/** A batch is sent when it is known whether another one follows. */
function createBatches({ history, wantsExtensions, send }: HistoryStreamOptions): Batches {
  let waiting: Buffer | undefined
  return {
    async add(page) {
      const events = wantsExtensions ? page.events : page.events.filter(isForEveryone)
      if (events.length === 0) return
      if (waiting) send(waiting, true)
      waiting = await eventList(history, events)
    },
    end: () => send(waiting ?? Buffer.alloc(0), false),
  }
}

export interface PastQuery {
  /** The `seq` after which it begins. */
  readonly since: number
  readonly upTo: number
  readonly wantsExtensions: boolean
}

export interface EventHistoryOptions {
  readonly history: History
  readonly readers: Semaphore
  readonly maxEvents: number
  readonly maxBytes: number
}

/**
 * `eventHistory` of a handshake: the newest events that fit, oldest first, as the inside of a JSON array.
 *
 * Many clients come back in the same moment and ask for the same; they share one reading and one buffer for as long as
 * any of them holds it. Rejects with what the disk throws.
 */
export type EventHistory = (query: PastQuery) => Promise<Buffer>

export function createEventHistory(options: EventHistoryOptions): EventHistory {
  let known: { readonly key: string; reading?: Promise<Buffer>; list?: WeakRef<Buffer> } | undefined

  return async query => {
    const key = `${query.since} ${query.upTo} ${query.wantsExtensions}`
    const ready = known?.key === key ? (known.reading ?? known.list?.deref()) : undefined
    if (ready) return ready
    const reading = read(query, options)
    const entry: typeof known = { key, reading }
    known = entry
    try {
      const list = await reading
      entry.list = new WeakRef(list)
      return list
    } finally {
      delete entry.reading
    }
  }
}

async function read(query: PastQuery, options: EventHistoryOptions): Promise<Buffer> {
  const release = await options.readers.acquire()
  try {
    return await eventList(options.history, await newest(query, options))
  } finally {
    release?.()
  }
}

/** How many times `maxEvents` are looked through for a client that passes over some of them. */
const longestLook = 16

async function newest(query: PastQuery, options: EventHistoryOptions): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = []
  let bytes = 0
  let upTo = query.upTo
  for (let look = 0; look < longestLook && upTo > query.since; look++) {
    const after = Math.max(query.since, upTo - options.maxEvents)
    const events = await stretch(options.history, after, upTo)
    for (const event of events.toReversed()) {
      if (!query.wantsExtensions && !isForEveryone(event)) continue
      bytes += event.bytes
      if (found.length === options.maxEvents || bytes > options.maxBytes) return found.reverse()
      found.push(event)
    }
    upTo = after
  }
  return found.reverse()
}

async function stretch(history: History, after: number, upTo: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const page of history.pages({ after, upTo })) events.push(...page.events)
  return events
}
