import { type HandshakeInput, weaveExtension } from '@weave/protocol'
import type { Greeting } from './connection.ts'
import type { EventOrder, Past } from './event-order.ts'
import type { ClientOptions, Session } from './weave-client.ts'

/** What is said in a handshake and what is made of the answer. */
export interface HandshakeSession {
  readonly session: Session | undefined
  /** The first one as the options say; later ones ask for everything after the last event delivered. */
  readonly request: () => HandshakeInput
  /**
   * Takes an answer. False: behind the address there is another journal than the one this client has read, so that its
   * numbers mean nothing here.
   */
  readonly accept: (greeting: Greeting) => boolean
  /** What an accepted answer says about events that are already in the journal. */
  readonly past: (response: Greeting['response']) => Past
}

export function createHandshakeSession(options: ClientOptions, order: EventOrder): HandshakeSession {
  let session: Session | undefined
  let executionPath: string | undefined
  let since = options.since
  const wantsHistory = since !== undefined || options.sendPreviousEvents === true

  return {
    get session() {
      return session
    },
    request() {
      if (session) since = order.lastSeq
      return {
        mode: options.mode,
        sendPreviousEvents: wantsHistory || since !== undefined,
        ...(since === undefined ? {} : { since }),
        extensions: [...(options.extensions ?? [weaveExtension])],
        ...(options.token === undefined ? {} : { token: options.token }),
      }
    },
    accept({ response, ready }) {
      const { lastSeq = Number.POSITIVE_INFINITY } = ready.data
      if (executionPath !== undefined && executionPath !== ready.data.executionPath) return false
      if (lastSeq < order.lastSeq) return false
      executionPath = ready.data.executionPath
      const { clientId, mode, totalEvents } = response
      const journalSeq = seqOf(response)
      if (!session && !wantsHistory) order.startAfter(journalSeq)
      session = { clientId, mode, totalEvents, journalSeq }
      return true
    },
    past: response => ({ history: response.eventHistory ?? [], journalSeq: seqOf(response), since }),
  }
}

/** A server before 0.11 counts its whole journal and does not say where it ends: that is the same number. */
function seqOf({ lastSeq, totalEvents }: Greeting['response']): number {
  return lastSeq ?? totalEvents
}
