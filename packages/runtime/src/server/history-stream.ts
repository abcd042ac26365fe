import { type History, isForEveryone, type Page } from '../journal/index.ts'
import type { Semaphore } from '../kit/index.ts'
import { eventList } from './event-list.ts'

export interface HistoryStreamOptions {
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

export interface Receiver {
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
