import { events, eventTypes } from '@weave/protocol'
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

/** Whether a client that did not ask for extension events may see this one. */
export function isForEveryone(stored: StoredEvent): boolean {
  return everyonesTypes.has(typeOf(stored))
}

export function typeOf({ rest }: StoredEvent): string {
  const from = rest.indexOf(typeKey) + typeKey.length
  return rest.toString('latin1', from, rest.indexOf(quote, from))
}

/** No text before the type can hold this: inside a JSON string the quotes would be escaped. */
const typeKey = Buffer.from('"type":"')
const quote = 0x22

const everyonesTypes: ReadonlySet<string> = new Set(
  eventTypes.filter(type => events[type].category !== 'extension'),
)
