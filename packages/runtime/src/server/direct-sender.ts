import { type DirectType, type ErrorCode, type EventData, errorCodes } from '@weave/protocol'
import { type Clock, createId, type Redactor } from '../kit/index.ts'
import type { Broadcast } from './broadcast.ts'
import { type Frames, textFrames } from './frames.ts'
import type { Peer } from './peer.ts'

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly commandId?: string | undefined
}

interface DirectSenderOptions {
  readonly peer: Peer
  readonly broadcast: Broadcast
  readonly envelopes: Envelopes
}

export type DirectSender = ReturnType<typeof createDirectSender>

/** Sends to one connection beside the journal, after everything that the journal has emitted. */
export function createDirectSender({ peer, broadcast, envelopes }: DirectSenderOptions) {
  const sendFrames = (frames: Frames): void => {
    broadcast.settle()
    peer.send(frames)
  }
  const send = <T extends DirectType>(type: T, data: EventData<T>, commandId?: string): void =>
    sendFrames([textFrames([envelopes.text(type, data, commandId)])])
  return {
    send,
    sendFrames,
    /** The answer to one command that failed; nobody else hears it. */
    refuse({ code, message, commandId }: Refusal): void {
      send('error', { message, fatal: false, severity: errorCodes[code].severity, code }, commandId)
    },
  }
}

export type Envelopes = ReturnType<typeof createEnvelopes>

/** Makes the events that are sent without being journaled. They repeat words of clients, so they are redacted here like those of the journal. */
export function createEnvelopes(clock: Clock, redactor: Redactor) {
  const json = (value: unknown): string => {
    const text = JSON.stringify(value)
    return redactor.suspects(text) ? JSON.stringify(redactor.json(value)) : text
  }
  /** The text of an event up to its data; what follows is the JSON of the data and a closing brace. */
  const open = (type: DirectType | 'handshake.response', commandId?: string): string => {
    const answer = commandId === undefined ? '' : `"commandId":${json(commandId)},`
    return `{"id":"${createId('evt')}","timestamp":"${clock.now().toISOString()}","type":"${type}",${answer}"data":`
  }
  return {
    open,
    text: <T extends DirectType>(type: T, data: EventData<T>, commandId?: string): string =>
      `${open(type, commandId)}${json(data)}}`,
  }
}
