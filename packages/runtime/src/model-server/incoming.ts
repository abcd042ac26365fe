import type { IncomingMessage } from 'node:http'
import { parsedText } from './json.ts'
import { readBody } from './read-body.ts'
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
