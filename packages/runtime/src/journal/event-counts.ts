import { type EventType, events, eventTypes } from '@weave/protocol'
import type { StoredEvent } from './line-reader.ts'

/** How many events there are: all of them, and those that every client knows. */
export interface EventCounts {
  readonly all: number
  readonly forEveryone: number
}

export const noEvents: EventCounts = { all: 0, forEveryone: 0 }

export function addCounts(one: EventCounts, other: EventCounts): EventCounts {
  return { all: one.all + other.all, forEveryone: one.forEveryone + other.forEveryone }
}

export function countOf(types: readonly EventType[]): EventCounts {
  return { all: types.length, forEveryone: types.filter(type => everyonesTypes.has(type)).length }
}

/** Whether a client that did not ask for extension events may see this one. */
export function isForEveryone({ rest }: StoredEvent): boolean {
  const from = rest.indexOf(typeKey) + typeKey.length
  return everyonesTypes.has(rest.toString('latin1', from, rest.indexOf(quote, from)))
}

/** No text before the type can hold this: inside a JSON string the quotes would be escaped. */
const typeKey = Buffer.from('"type":"')
const quote = 0x22

const everyonesTypes: ReadonlySet<string> = new Set(
  eventTypes.filter(type => events[type].category !== 'extension'),
)
