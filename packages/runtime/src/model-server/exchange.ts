import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kit/index.ts'
import { fieldOf } from '../kit/index.ts'
import { createDecider, type DeciderOptions } from './decider.ts'
import { deliver } from './delivery.ts'
import { type Incoming, receive } from './incoming.ts'
import { text } from './json.ts'
import type { OpenRecord, RequestBook } from './request-book.ts'

export interface ExchangeOptions extends DeciderOptions {
  readonly book: RequestBook
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
}

type Exchange = (message: IncomingMessage, response: ServerResponse) => Promise<void>

/** One request and its answer, whatever comes. Never rejects. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { book, clock, closing } = options
  const decide = createDecider(options)

  return async (message, response) => {
    const incoming = await receive(message)
    if (!incoming || response.destroyed) return
    const gone = new AbortController()
    const record = openRecord(incoming, clock)
    let isOurCut = false
    response.once('close', () => {
      record.endedAt = clock.now()
      record.status = response.headersSent ? response.statusCode : undefined
      record.aborted = !response.writableFinished && !isOurCut && !closing.aborted
      gone.abort(new Error('the client has gone'))
      book.changed(record)
    })
    book.add(record, incoming.bytes)
    const delivery = await decide(incoming, gone.signal)
    isOurCut = delivery.kind === 'cut' || (delivery.kind === 'pieces' && delivery.broken === 'cut')
    deliver(response, delivery)
  }
}

function openRecord({ route, method, path, key, headers, body }: Incoming, clock: Clock): OpenRecord {
  const given = 'given' in route ? route.given.model : undefined
  return {
    kind: route.kind,
    method,
    path,
    dialect: route.dialect.name,
    key,
    model: given ?? text(fieldOf(body, 'model')),
    headers,
    body,
    startedAt: clock.now(),
    endedAt: undefined,
    status: undefined,
    aborted: false,
  }
}
