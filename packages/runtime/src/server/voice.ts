import { type DirectType, type ErrorCode, type EventData, errorCodes } from '@weave/protocol'
import type { Broadcast } from './broadcast.ts'
import type { Envelopes } from './envelope.ts'
import { type Frames, textFrames } from './frames.ts'
import type { Peer } from './peer.ts'

/** Speaks to one connection beside the journal, after all that the journal told before. */
export interface Voice {
  say<T extends DirectType>(type: T, data: EventData<T>, commandId?: string): void
  send(frames: Frames): void
  /** The answer to one command that failed; nobody else hears it. */
  refuse(refusal: Refusal): void
}

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly commandId?: string | undefined
}

export interface VoiceOptions {
  readonly peer: Peer
  readonly broadcast: Broadcast
  readonly envelopes: Envelopes
}

export function createVoice({ peer, broadcast, envelopes }: VoiceOptions): Voice {
  const send = (frames: Frames): void => {
    broadcast.settle()
    peer.send(frames)
  }
  const say: Voice['say'] = (type, data, commandId) =>
    send([textFrames([envelopes.text(type, data, commandId)])])
  return {
    say,
    send,
    refuse: ({ code, message, commandId }) =>
      say('error', { message, fatal: false, severity: errorCodes[code].severity, code }, commandId),
  }
}
