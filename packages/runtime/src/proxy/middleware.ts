import type { Readable } from 'node:stream'
import { isObject } from '../kit/index.ts'

export interface ProxyRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Lower-case names; several values of one name have a comma between. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Only when the body is a request to the messages API. */
  readonly messagesRequestData?: MessagesRequest | undefined
}

export type BodilessRequest = Omit<ProxyRequest, 'body'>

export interface ProxyResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream is there to be read once: what a middleware has read, the caller does not get. */
  readonly body?: string | Readable
}

/**
 * Something between the caller and the upstream. What is thrown ends the exchange with `Proxy Error`.
 *
 * A request is changed by handing on another `messagesRequestData` (see `withData`); what else is changed in it goes
 * nowhere. A response is changed by handing on another one. Take the fields of both one by one: some are computed when
 * they are asked for, and a spread would miss them.
 */
export interface Middleware {
  onRequest?(request: BodilessRequest, body: string | undefined): BodilessRequest | Promise<BodilessRequest>
  onResponse?(response: ProxyResponse, request: BodilessRequest): ProxyResponse | Promise<ProxyResponse>
  /** The proxy has stopped. */
  close?(): void
}

/** The same request with other data. */
export function withData(request: BodilessRequest, messagesRequestData: MessagesRequest): BodilessRequest {
  const { method, url, headers } = request
  return { method, url, headers, messagesRequestData }
}

/** The middleware that looks at requests, and that which looks at responses, each in the order of registration. */
export interface MiddlewareSteps {
  readonly onRequest: readonly RequestStep[]
  readonly onResponse: readonly ResponseStep[]
}

type RequestStep = Middleware & Pick<Required<Middleware>, 'onRequest'>
type ResponseStep = Middleware & Pick<Required<Middleware>, 'onResponse'>

/** Sorted once, because every request asks for it. */
export function stepsOf(middleware: readonly Middleware[]): MiddlewareSteps {
  return {
    onRequest: middleware.filter((each): each is RequestStep => each.onRequest !== undefined),
    onResponse: middleware.filter((each): each is ResponseStep => each.onResponse !== undefined),
  }
}

type Apply<Step, T> = (step: Step, value: T) => T | Promise<T>

/** One step after the other, each with what the one before handed on. A promise only when some step is one. */
export function inOrder<Step, T extends object>(
  steps: readonly Step[],
  value: T,
  apply: Apply<Step, T>,
): T | Promise<T> {
  let current = value
  let done = 0
  for (const step of steps) {
    done++
    const next = apply(step, current)
    if (next instanceof Promise) return afterwards(next, steps.slice(done), apply)
    current = next
  }
  return current
}

async function afterwards<Step, T extends object>(
  value: Promise<T>,
  steps: readonly Step[],
  apply: Apply<Step, T>,
): Promise<T> {
  return inOrder(steps, await value, apply)
}

/**
 * A request to the vendor's messages API, as far as the proxy reads it. Everything else that it says is kept, so that the
 * data written out again is the same request.
 */
export interface MessagesRequest {
  readonly model: string
  readonly messages: readonly RequestMessage[]
  readonly max_tokens: number
  readonly stream?: boolean
  readonly [key: string]: unknown
}

export interface RequestMessage {
  readonly role: string
  readonly content: unknown
  readonly [key: string]: unknown
}

type ReadMessagesRequest =
  | { readonly ok: true; readonly data: MessagesRequest }
  | { readonly ok: false; readonly fault: string }

/** Whether a body is such a request. Never throws. */
export function readMessagesRequest(text: string): ReadMessagesRequest {
  // Neither a form nor a file is worth a parse that throws.
  if (!/^[\s]*\{/.test(text)) return { ok: false, fault: 'not a JSON object' }
  try {
    const value: unknown = JSON.parse(text)
    return isMessagesRequest(value)
      ? { ok: true, data: value }
      : { ok: false, fault: 'not shaped like a messages request' }
  } catch (error) {
    return { ok: false, fault: error instanceof Error ? error.name : 'not JSON' }
  }
}

function isMessagesRequest(value: unknown): value is MessagesRequest {
  if (!isObject(value)) return false
  const { model, messages, max_tokens: most, stream } = value
  return (
    typeof model === 'string' &&
    typeof most === 'number' &&
    (stream === undefined || typeof stream === 'boolean') &&
    Array.isArray(messages) &&
    messages.every(isMessage)
  )
}

function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  return (
    typeof value['role'] === 'string' &&
    (typeof value['content'] === 'string' || Array.isArray(value['content']))
  )
}
