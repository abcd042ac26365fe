import { readSegment, type StoredEvent } from './line-reader.ts'
import { listSegments, type Segment } from './segments.ts'

/** What is made of one chunk is gone before the next is read: little of it grows old. */
const chunkBytes = 128 * 1024

/**
 * Follows a journal that another thread or program writes: each reading goes on where the last one ended, without asking
 * the writer and without reading anything twice. Lines are proved by their checksum; damaged ones are passed over, and so
 * is a line whose number is not above those before it: it is that of a second writer.
 */
export function createTail(dir: string) {
  let last = 0
  let place: { readonly path: string; readonly offset: number } | undefined

  async function* readOn(segment: Segment): AsyncGenerator<readonly StoredEvent[]> {
    const { path } = segment
    const start = place?.path === path ? place.offset : 0
    for await (const { events, end } of readSegment(path, { start, chunkBytes })) {
      place = { path, offset: end }
      const fresh: StoredEvent[] = []
      for (const stored of events) {
        if (stored.seq <= last) continue
        last = stored.seq
        fresh.push(stored)
      }
      yield fresh
    }
  }

  return {
    /** Of the last event that was read; 0 before the first. */
    lastSeq: (): number => last,
    /** What was written since. One reading at a time. Rejects with what the disk says. */
    async *read(): AsyncGenerator<readonly StoredEvent[]> {
      const segments = await listSegments(dir)
      for (const [at, segment] of segments.entries()) {
        const next = segments[at + 1]
        if (next === undefined || next.firstSeq > last + 1) yield* readOn(segment)
      }
    },
  }
}
