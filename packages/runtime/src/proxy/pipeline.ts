import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { Log } from '../kit/index.ts'
import type { AnswerWriter } from './answer-writer.ts'
import { Delivery } from './delivery.ts'
import type { Observe } from './exchange-observer.ts'
import { maskedUrl } from './masked-url.ts'
import { type MessagesRequest, readMessagesRequest } from './messages-request.ts'
import { type BodilessRequest, inOrder, type MiddlewareSteps } from './middleware.ts'
import { ReceivedRequest } from './received-request.ts'
import type { OutgoingRequest, Transport } from './transport.ts'
import { endToEnd } from './wire/hop-by-hop.ts'
import type { RequestHead } from './wire/request-head.ts'

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
export function startExchange(
  { head, body }: Incoming,
  writer: AnswerWriter,
  options: PipelineOptions,
): Exchange {
  const { steps, transport, observe, log } = options
  let delivery: Delivery | undefined
  let isOver = false

  const fail = (error: unknown): void => {
    if (isOver) return
    isOver = true
    log.error(tag, `${head.method} ${maskedUrl(head.target)} failed`, { error })
    delivery?.giveUp()
    if (writer.hasBegun) writer.cut()
    else answerPlainly(writer, 500, 'Proxy Error')
  }

  const send = (incoming: BodilessRequest, extracted: Extracted): void => {
    const outgoing = outgoingOf({ head, body }, serialized(incoming, extracted))
    const data = incoming.messagesRequestData
    delivery = new Delivery({
      writer,
      steps: steps.onResponse,
      request: incoming,
      log,
      observer: observe?.(outgoing, data),
      onFailure: fail,
    })
    delivery.begin(transport.send(outgoing, delivery))
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
      delivery?.abort()
    },
  }
}

/** An answer of our own. */
export function answerPlainly(writer: AnswerWriter, status: number, text: string): void {
  const body = Buffer.from(text)
  const headers = [
    { name: 'Content-Type', key: 'content-type', value: 'text/plain' },
    { name: 'Content-Length', key: 'content-length', value: String(body.length) },
  ]
  const reason = reasons[status] ?? 'Refused'
  writer.head({ status, reason, headers, framing: { kind: 'length', length: body.length } })
  if (body.length > 0) writer.data(body)
  writer.end()
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  505: 'HTTP Version Not Supported',
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
  const { framing } = head
  return {
    method: head.method,
    target: head.target,
    headers: endToEnd(head.headers).filter(({ key }) => key !== 'host' && key !== 'content-length'),
    body: replaced ?? body ?? (framing.kind === 'length' ? nothing : undefined),
    ...(framing.kind === 'length' && { streamLength: framing.length }),
  }
}

/** Of a caller that says there are zero bytes. */
const nothing = Buffer.alloc(0)
