import type { JournaledEvent, JournaledType } from '@weave/protocol'
import type { History } from '../journal/index.ts'

const headBytes = 4096

/** The events of some types, in order; lines of other types are not parsed. */
export async function* eventsOfTypes(
  history: History,
  types: readonly JournaledType[],
): AsyncGenerator<JournaledEvent> {
  const marks = types.map(type => Buffer.from(`"type":"${type}"`))
  for await (const page of history.pages()) {
    for (const stored of page.events) {
      const head = stored.rest.subarray(0, headBytes)
      const event = marks.some(mark => head.includes(mark)) ? await history.event(stored) : undefined
      if (event) yield event
    }
  }
}
