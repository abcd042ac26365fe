import { type Framing, readFraming } from './framing.ts'
import { forbiddenInLine, type Header, isToken, readHeaders, valuesOf } from './header.ts'
import { connectionWords } from './hop-by-hop.ts'

export interface RequestHead {
  readonly method: string
  /** The path with its query, byte for byte. */
  readonly target: string
  readonly headers: readonly Header[]
  readonly framing: Framing
  /** HTTP/1.0 knows no chunks, and its connections end with the answer. */
  readonly minor: number
  readonly keepAlive: boolean
  readonly expectsContinue: boolean
}

export type ReadRequestHead =
  | { readonly ok: true; readonly head: RequestHead }
  | { readonly ok: false; readonly status: number; readonly fault: string }

/**
 * The head of a request, without the empty line at its end; one character for each byte. Refuses everything that could
 * lead to another host than the upstream or be read in another way by the next program. Never throws.
 */
export function readRequestHead(text: string): ReadRequestHead {
  const [first = '', ...lines] = text.split('\r\n')
  const line = readRequestLine(first)
  if (!line.ok) return line
  const read = readHeaders(lines)
  if (!read.ok) return refused(400, read.fault)
  const { headers } = read
  const { minor } = line
  const hosts = valuesOf(headers, 'host')
  if (hosts.length > 1 || (hosts.length === 0 && minor === 1)) return refused(400, 'not exactly one Host')
  const words = connectionWords(headers)
  if (words.has('upgrade') || headers.some(({ key }) => key === 'upgrade'))
    return refused(501, 'a change of protocol')
  const expectations = valuesOf(headers, 'expect')
  if (expectations.some(value => value.toLowerCase() !== '100-continue'))
    return refused(417, 'an unknown expectation')
  const body = readFraming(headers, minor)
  if (!body.ok) return refused(400, body.fault)
  return {
    ok: true,
    head: {
      method: line.method,
      target: line.target,
      headers,
      framing: body.framing ?? { kind: 'none' },
      minor,
      keepAlive: minor === 1 && !words.has('close'),
      expectsContinue: minor === 1 && expectations.length > 0,
    },
  }
}

type RequestLine =
  | { readonly ok: true; readonly method: string; readonly target: string; readonly minor: number }
  | Extract<ReadRequestHead, { readonly ok: false }>

function readRequestLine(line: string): RequestLine {
  const [method = '', target = '', version = '', more] = line.split(' ')
  if (forbiddenInLine.test(line) || !isToken(method) || more !== undefined)
    return refused(400, 'no proper request line')
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') return refused(505, 'another version than HTTP/1.1')
  if (method === 'CONNECT') return refused(405, 'CONNECT')
  // Exactly one slash first: with none or two, and with a backslash, some programs read a host out of it.
  if (!/^\/(?!\/)[!-~]*$/.test(target) || /[\\#]/.test(target)) return refused(400, 'no proper path')
  return { ok: true, method, target, minor: version === 'HTTP/1.1' ? 1 : 0 }
}

function refused(status: number, fault: string): { ok: false; status: number; fault: string } {
  return { ok: false, status, fault }
}
