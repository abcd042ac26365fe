import { type DirectType, type ErrorCode, type EventData, errorCodes } from '@weave/protocol'
import { type Clock, createId, type Redactor } from '../kit/index.ts'
import type { Broadcast } from './broadcast.ts'
import { type Frames, textFrames } from './frames.ts'
import type { Peer } from './peer.ts'

/** Sends to one connection beside the journal, after everything that the journal has emitted. */
export interface DirectSender {
  send<T extends DirectType>(type: T, data: EventData<T>, commandId?: string): void
  sendFrames(frames: Frames): void
  /** The answer to one command that failed; nobody else hears it. */
  refuse(refusal: Refusal): void
}

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly commandId?: string | undefined
}

export interface DirectSenderOptions {
  readonly peer: Peer
  readonly broadcast: Broadcast
  readonly envelopes: Envelopes
}

export function createDirectSender({ peer, broadcast, envelopes }: DirectSenderOptions): DirectSender {
  const sendFrames = (frames: Frames): void => {
    broadcast.settle()
    peer.send(frames)
  }
  const send: DirectSender['send'] = (type, data, commandId) =>
    sendFrames([textFrames([envelopes.text(type, data, commandId)])])
  return {
    send,
    sendFrames,
    refuse: ({ code, message, commandId }) =>
      send('error', { message, fatal: false, severity: errorCodes[code].severity, code }, commandId),
  }
}

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
