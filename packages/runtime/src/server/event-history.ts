import { type History, isForEveryone, type StoredEvent } from '../journal/index.ts'
import type { Semaphore } from '../kit/index.ts'
import { eventList } from './event-list.ts'

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
