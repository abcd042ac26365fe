import type { DirectType, EventData } from '@weave/protocol'
import { type Clock, createId, type Redactor } from '../kit/index.ts'

/** Makes the events that are sent without being journaled. They repeat words of clients, so they are redacted here like those of the journal. */
export interface Envelopes {
  /** The text of an event up to its data; what follows is the JSON of the data and a closing brace. */
  open(type: DirectType | 'handshake.response', commandId?: string): string
  text<T extends DirectType>(type: T, data: EventData<T>, commandId?: string): string
}

export function createEnvelopes(clock: Clock, redactor: Redactor): Envelopes {
  const json = (value: unknown): string => {
    const text = JSON.stringify(value)
    return redactor.suspects(text) ? JSON.stringify(redactor.json(value)) : text
  }
  const open: Envelopes['open'] = (type, commandId) => {
    const answer = commandId === undefined ? '' : `"commandId":${json(commandId)},`
    return `{"id":"${createId('evt')}","timestamp":"${clock.now().toISOString()}","type":"${type}",${answer}"data":`
  }
  return {
    open,
    text: (type, data, commandId) => `${open(type, commandId)}${json(data)}}`,
  }
}
