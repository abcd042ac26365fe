import { parseEvent, type ServerEvent } from '@weave/protocol'

/** An event as it lies in a history: its data has not been looked at yet. */
export type RawEvent = { readonly [key: string]: unknown }

/** Reads events out of histories, and counts and reports what this client cannot read, there and elsewhere. */
export interface PastReader {
  readonly unknownEvents: number
  /** Undefined: the event was unknown or malformed, and has been counted or reported. */
  readonly parse: (raw: RawEvent) => ServerEvent | undefined
  readonly onUnknown: () => void
  readonly onMalformed: (problem: string) => void
}

export function createPastReader(onMalformed: (problem: string) => void): PastReader {
  let unknownEvents = 0
  const onUnknown = (): void => {
    unknownEvents += 1
  }
  return {
    get unknownEvents() {
      return unknownEvents
    },
    parse(raw) {
      const message = parseEvent(raw)
      if (message.kind === 'event') return message.event
      if (message.kind === 'problem') onMalformed(message.message)
      else onUnknown()
      return undefined
    },
    onUnknown,
    onMalformed,
  }
}
