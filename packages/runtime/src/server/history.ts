import { createScratch, type History, isForEveryone, type Page, type StoredEvent } from '../journal/index.ts'
import type { Semaphore } from '../kit/index.ts'
import type { Peer } from './peer.ts'

/**
 * Events of the journal as the inside of a JSON array. They are not parsed: a line of the journal without its checksum
 * is the event as it travels. Only an event with fields in the blob folder is put together again. `target` is used where it has room.
 */
export async function eventList(
  history: History,
  stored: readonly StoredEvent[],
  target?: Buffer,
): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const [at, event] of stored.entries()) {
    if (event.spilled) parts.push(at === 0 ? nothing : comma, Buffer.from(await history.text(event)))
    else parts.push(at === 0 ? brace : commaBrace, event.rest)
  }
  return target ? joinedIn(target, parts) : Buffer.concat(parts)
}

/** All of them one after another in `target`, or in a buffer of its own when that has no room. */
function joinedIn(target: Buffer, parts: readonly Buffer[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  if (size > target.length) return Buffer.concat(parts, size)
  let at = 0
  for (const part of parts) at += part.copy(target, at)
  return target.subarray(0, size)
}

const nothing = Buffer.alloc(0)
const comma = Buffer.from(',')
const brace = Buffer.from('{')
const commaBrace = Buffer.from(',{')

interface ReadingOptions {
  readonly history: History
  readonly readers: Semaphore
  readonly maxEvents: number
  readonly maxBytes: number
}

interface HistoryStreamOptions extends ReadingOptions {
  readonly upTo: number
  readonly wantsExtensions: boolean
  /** Takes the inside of a JSON array of events. */
  readonly send: (events: Buffer, hasMore: boolean) => void
  readonly receiver: Pick<Peer, 'isOpen' | 'isDrained' | 'isIdle' | 'drained'>
  readonly onDamage: (page: Page) => void
}

/** Pages that are read before another reader gets its turn. */
const pagesPerTurn = 16

/**
 * Streams the journal to one receiver, as fast as that one takes it. Few read at a time and for a short while each;
 * whoever waits for a slow receiver holds no file and no memory but one batch. Rejects with what the disk throws.
 */
export async function streamHistory(options: HistoryStreamOptions): Promise<void> {
  const { readers, receiver } = options
  const batches = createBatches(options)
  const scratch = createScratch()
  let read = { after: 0, hasMore: true }
  while (read.hasMore && receiver.isOpen) {
    const { after } = read
    read = await inTurn(readers, () => readSome({ ...options, scratch }, after, batches))
    await receiver.drained()
  }
  batches.end()
}

async function inTurn<T>(readers: Semaphore, work: () => Promise<T>): Promise<T> {
  const release = await readers.acquire()
  try {
    return await work()
  } finally {
    release?.()
  }
}

interface Scratch {
  readonly scratch: Buffer
}

async function readSome(
  { history, upTo, maxEvents, maxBytes, scratch, receiver, onDamage }: HistoryStreamOptions & Scratch,
  after: number,
  batches: ReturnType<typeof createBatches>,
) {
  let pages = 0
  let last = after
  for await (const page of history.pages({ after, upTo, maxEvents, maxBytes, scratch })) {
    if (page.problems.length > 0) onDamage(page)
    last = page.events.at(-1)?.seq ?? last
    await batches.add(page)
    pages++
    if (last > after && (pages >= pagesPerTurn || !receiver.isDrained)) return { after: last, hasMore: true }
  }
  return { after: last, hasMore: false }
}

/**
 * A batch is sent when it is known whether another one follows. What the receiver has taken at once is written over by the next
 * one: a long history for a quick reader is no heap of garbage.
 */
function createBatches({
  history,
  wantsExtensions,
  maxEvents,
  maxBytes,
  receiver,
  send,
}: HistoryStreamOptions) {
  const room = (): Buffer => Buffer.allocUnsafeSlow(maxBytes + maxEvents * commaBrace.length)
  let waiting: Buffer | undefined
  let target = room()
  return {
    async add(page: Page): Promise<void> {
      const events = wantsExtensions ? page.events : page.events.filter(isForEveryone)
      if (events.length === 0) return
      if (waiting) send(waiting, true)
      if (!receiver.isIdle) target = room()
      waiting = await eventList(history, events, target)
    },
    end: () => send(waiting ?? nothing, false),
  }
}

interface PastQuery {
  /** The `seq` after which it begins. */
  readonly since: number
  readonly upTo: number
  readonly wantsExtensions: boolean
}

/**
 * `eventHistory` of a handshake: the newest events that fit, oldest first, as the inside of a JSON array.
 *
 * Many clients come back in the same moment and ask for the same; they share one reading and one buffer for as long as
 * any of them holds it. Rejects with what the disk throws.
 */
export type EventHistory = (query: PastQuery) => Promise<Buffer>

export function createEventHistory(options: ReadingOptions): EventHistory {
  let known: { readonly key: string; reading?: Promise<Buffer>; list?: WeakRef<Buffer> } | undefined

  return async query => {
    const key = `${query.since} ${query.upTo} ${query.wantsExtensions}`
    const ready = known?.key === key ? (known.reading ?? known.list?.deref()) : undefined
    if (ready) return ready
    const reading = inTurn(options.readers, async () =>
      eventList(options.history, await newest(query, options)),
    )
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

/** How many times `maxEvents` are scanned for a client that passes over some of them. */
const mostScans = 16

async function newest(query: PastQuery, options: ReadingOptions): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = []
  let bytes = 0
  let upTo = query.upTo
  for (let scan = 0; scan < mostScans && upTo > query.since; scan++) {
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
