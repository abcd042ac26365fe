import type { Readable } from 'node:stream'
import type { MessagesRequest } from './messages-request.ts'

export interface ProxyRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Small names; several values of one name have a comma between. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Only when the body is a request to the messages API. */
  readonly messagesRequestData?: MessagesRequest
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
  for (const [index, step] of steps.entries()) {
    const next = apply(step, current)
    if (next instanceof Promise) return next.then(later => inOrder(steps.slice(index + 1), later, apply))
    current = next
  }
  return current
}
