import type { IncomingMessage } from 'node:http'
import { connectionOptions, firstValue, type Header, hasUnknownCoding, valuesOf } from './headers.ts'

export interface RequestHead {
  readonly method: string
  /** The path with its query, byte for byte. */
  readonly target: string
  readonly headers: readonly Header[]
  /** Bytes of the body, if the caller says so. */
  readonly length: number | undefined
  readonly hasBody: boolean
  readonly expectsContinue: boolean
}

export type ReadRequestHead =
  | { readonly ok: true; readonly head: RequestHead }
  | { readonly ok: false; readonly status: number; readonly fault: string }

/** Far more than any program sends. */
const mostHeaders = 1_000

/**
 * The head of a request that Node.js has parsed strictly. Refuses what could still lead to another host than the upstream
 * or be read in another way by the next program. Never throws.
 */
export function readRequestHead(request: IncomingMessage, headers: readonly Header[]): ReadRequestHead {
  const { method = '', url: target = '', httpVersion } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return refused(505, 'another version than HTTP/1.1')
  // Exactly one slash first: with none or two, and with a backslash, some programs read a host out of it.
  if (!/^\/(?!\/)[!-~]*$/.test(target) || /[\\#]/.test(target)) return refused(400, 'no proper path')
  if (headers.length > mostHeaders) return refused(431, 'too many headers')
  if (connectionOptions(headers).has('upgrade') || headers.some(({ key }) => key === 'upgrade'))
    return refused(501, 'a change of protocol')
  const expectations = valuesOf(headers, 'expect')
  if (expectations.some(value => value.toLowerCase() !== '100-continue'))
    return refused(417, 'an unknown expectation')
  const isChunked = headers.some(({ key }) => key === 'transfer-encoding')
  if (hasUnknownCoding(headers) || (isChunked && httpVersion === '1.0'))
    return refused(400, 'an unknown transfer coding')
  const length = firstValue(headers, 'content-length')
  return {
    ok: true,
    head: {
      method,
      target,
      headers,
      length: length === undefined ? undefined : Number(length),
      hasBody: isChunked || (length !== undefined && Number(length) > 0),
      expectsContinue: httpVersion === '1.1' && expectations.length > 0,
    },
  }
}

function refused(status: number, fault: string): { ok: false; status: number; fault: string } {
  return { ok: false, status, fault }
}

/**
 * Path and query for a log: the values of parameters that hold keys are masked. Anybody on this machine can ask with any query,
 * so it is taken apart by hand, in one pass.
 */
export function maskedUrl(url: string): string {
  const start = url.indexOf('?')
  if (start === -1) return url
  return url.slice(0, start) + url.slice(start).replace(parameter, maskedParameter)
}

const parameter = /[?&;][^&;]*/g
const secretName = /key|token|sig|secret|password/i

function maskedParameter(text: string): string {
  const end = text.indexOf('=')
  return end !== -1 && secretName.test(text.slice(0, end)) ? `${text.slice(0, end + 1)}[masked]` : text
}
