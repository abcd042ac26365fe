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

export type ReadMessagesRequest =
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

import { isObject } from '../kit/index.ts'
