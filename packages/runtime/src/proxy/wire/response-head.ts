import { type Framing, readFraming } from './framing.ts'
import { forbiddenInLine, type Header, readHeaders } from './header.ts'
import { connectionWords } from './hop-by-hop.ts'

export interface ResponseHead {
  readonly status: number
  /** The words after the status. */
  readonly reason: string
  readonly headers: readonly Header[]
  readonly framing: Framing
  /** Whether another request may follow on the same connection. */
  readonly keepAlive: boolean
}

export type ReadResponseHead =
  | { readonly ok: true; readonly head: ResponseHead }
  | { readonly ok: false; readonly fault: string }

/** The head of a response to a request of that method, without the empty line at its end. As strict as for requests. */
export function readResponseHead(text: string, method: string): ReadResponseHead {
  const [first = '', ...lines] = text.split('\r\n')
  const parts = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: (.*))?$/.exec(first)
  if (!parts || forbiddenInLine.test(first)) return { ok: false, fault: 'no proper status line' }
  const read = readHeaders(lines)
  if (!read.ok) return read
  const { headers } = read
  const minor = Number(parts[1])
  const status = Number(parts[2])
  const body = readFraming(headers, minor)
  if (!body.ok) return body
  const framing = hasNoBody(status, method) ? nothing : (body.framing ?? { kind: 'until-close' })
  const keepAlive = minor === 1 && framing.kind !== 'until-close' && !connectionWords(headers).has('close')
  return { ok: true, head: { status, reason: parts[3] ?? '', headers, framing, keepAlive } }
}

const nothing: Framing = { kind: 'none' }

function hasNoBody(status: number, method: string): boolean {
  return method === 'HEAD' || status < 200 || status === 204 || status === 304
}
