import type { History, StoredEvent } from '../journal/index.ts'

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
