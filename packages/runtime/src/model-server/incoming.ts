import type { IncomingMessage } from 'node:http'
import { parsedText } from './json.ts'
import { type Route, routeOf } from './routes.ts'

/** A request with everything read from the connection. */
export interface Incoming {
  readonly method: string
  readonly path: string
  readonly route: Route
  readonly key: string
  readonly headers: readonly string[]
  /** As JSON; as text when it is none; undefined when there is none or it is too long. */
  readonly body: unknown
  readonly bytes: number
  readonly isTooLong: boolean
}

/** Undefined when the client went away in the middle. */
export async function receive(message: IncomingMessage): Promise<Incoming | undefined> {
  const method = message.method ?? ''
  const [path = '', query = ''] = (message.url ?? '').split('?', 2)
  const body = await readBody(message)
  if (!body.ok && body.reason === 'gone') return undefined
  return {
    method,
    path,
    route: routeOf(method, path),
    key: keyOf(message, query),
    headers: Object.keys(message.headers),
    body: body.ok && body.text !== '' ? parsedText(body.text) : undefined,
    bytes: body.ok ? body.bytes : 0,
    isTooLong: !body.ok,
  }
}

/** Every provider has its own place for the key; they do not get in each other's way. */
function keyOf({ headers }: IncomingMessage, query: string): string {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const own = headers['x-api-key'] ?? headers['x-goog-api-key']
  return (typeof own === 'string' ? own : undefined) ?? bearer ?? new URLSearchParams(query).get('key') ?? ''
}

const mostBytes = 32 * 1024 * 1024

type Body =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: 'too-large' | 'gone' }

/** The whole body. A longer one is read to its end and thrown away, so that the client is able to hear the refusal. */
async function readBody(message: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of message) {
      if (!Buffer.isBuffer(chunk)) continue
      bytes += chunk.length
      if (bytes <= mostBytes) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return { ok: false, reason: 'gone' }
  }
  if (bytes > mostBytes) return { ok: false, reason: 'too-large' }
  return { ok: true, text: Buffer.concat(chunks).toString('utf8'), bytes }
}
