import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { Log } from '../kit/index.ts'
import { type Answer, answerPlainly } from './answer.ts'
import { endToEnd, headerMap } from './headers.ts'
import {
  type BodilessRequest,
  inOrder,
  type MessagesRequest,
  type MiddlewareSteps,
  readMessagesRequest,
} from './middleware.ts'
import { maskedUrl, type RequestHead } from './request-head.ts'
import { ResponseForwarder } from './response-forwarder.ts'
import type { Observe, OutgoingRequest, Transport } from './transport.ts'

export interface PipelineOptions {
  readonly steps: MiddlewareSteps
  readonly transport: Transport
  readonly observe?: Observe | undefined
  readonly log: Log
}

export interface Incoming {
  readonly head: RequestHead
  /** A stream: larger than is read into memory, so forwarded as it is. */
  readonly body: Buffer | Readable | undefined
}

/** An exchange under way. */
export interface Exchange {
  /** The caller is gone. */
  abort(): void
}

const tag = 'LLM-PROXY'

/** The five steps, in their order. Whatever fails before an answer has begun is answered with `Proxy Error`. */
export function startExchange({ head, body }: Incoming, answer: Answer, options: PipelineOptions): Exchange {
  const { steps, transport, observe, log } = options
  let forwarder: ResponseForwarder | undefined
  let isOver = false

  const fail = (error: unknown): void => {
    if (isOver) return
    isOver = true
    log.error(tag, `${head.method} ${maskedUrl(head.target)} failed`, { error })
    forwarder?.giveUp()
    if (answer.hasBegun) answer.cut()
    else answerPlainly(answer, 500, 'Proxy Error')
  }

  const send = (incoming: BodilessRequest, extracted: Extracted): void => {
    const outgoing = outgoingOf({ head, body }, serialized(incoming, extracted))
    const data = incoming.messagesRequestData
    forwarder = new ResponseForwarder({
      answer,
      steps: steps.onResponse,
      request: incoming,
      log,
      observer: observe?.(outgoing, data),
      onFailure: fail,
    })
    forwarder.begin(transport.send(outgoing, forwarder))
  }

  try {
    const extracted = extract({ head, body }, log)
    const applied = inOrder(steps.onRequest, extracted.request, (step, request) =>
      step.onRequest(request, extracted.text),
    )
    if (applied instanceof Promise)
      applied.then(request => (isOver ? undefined : send(request, extracted))).catch(fail)
    else send(applied, extracted)
  } catch (error) {
    fail(error)
  }
  return {
    abort() {
      isOver = true
      forwarder?.abort()
    },
  }
}

/** What came from the caller. The map of headers is made for who asks for it. */
class ReceivedRequest implements BodilessRequest {
  readonly method: string
  readonly url: string
  readonly messagesRequestData?: MessagesRequest
  readonly #head: RequestHead

  constructor(head: RequestHead, data: MessagesRequest | undefined) {
    this.method = head.method
    this.url = head.target
    this.#head = head
    if (data) this.messagesRequestData = data
  }

  get headers(): Readonly<Record<string, string>> {
    return headerMap(this.#head.headers)
  }
}

interface Extracted {
  readonly request: BodilessRequest
  readonly text: string | undefined
}

/** Step 1. A text is made of the body only where that loses nothing that is needed: the bytes themselves go on. */
function extract({ head, body }: Incoming, log: Log): Extracted {
  const { method, target: url } = head
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : undefined
  if (text === undefined) return { request: new ReceivedRequest(head, undefined), text }
  const read =
    Buffer.isBuffer(body) && isUtf8(body)
      ? readMessagesRequest(text)
      : { ok: false as const, fault: 'not text' }
  if (read.ok) return { request: new ReceivedRequest(head, read.data), text }
  log.debug(tag, `the body of ${method} ${maskedUrl(url)} is no messages request: ${read.fault}`)
  return { request: new ReceivedRequest(head, undefined), text }
}

/**
 * Step 3. Data that no middleware changed is in the body already, in the very bytes of the caller; anything else would
 * change what travels.
 */
function serialized(request: BodilessRequest, extracted: Extracted): Buffer | undefined {
  const before: MessagesRequest | undefined = extracted.request.messagesRequestData
  const data = request.messagesRequestData
  return data === undefined || data === before ? undefined : Buffer.from(JSON.stringify(data))
}

/** Step 4, as far as it is ours: the transport sets `Host` and the length of what is sent. */
function outgoingOf({ head, body }: Incoming, replaced: Buffer | undefined): OutgoingRequest {
  return {
    method: head.method,
    target: head.target,
    headers: endToEnd(head.headers).filter(({ key }) => key !== 'host' && key !== 'content-length'),
    body: replaced ?? body,
    streamLength: head.length,
  }
}
