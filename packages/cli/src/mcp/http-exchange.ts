import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

export const longestBody = 1 << 20

/** Undefined: it is too long. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > longestBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A request of Node as the library takes it; it is aborted when the client goes. */
export function webRequest(
  { method = 'GET', headers }: IncomingMessage,
  { url, body, gone }: { readonly url: string; readonly body: string; readonly gone: AbortSignal },
): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(url, { method, headers: pairs, signal: gone, ...(hasBody && { body }) })
}

/** Sends an answer, piece by piece as it comes. Never rejects. */
export async function sendWeb(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (!answer.body) {
    response.end()
    return
  }
  const pieces = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
  response.once('close', () => pieces.destroy())
  pieces.on('error', () => response.destroy())
  await new Promise<void>(resolve => {
    response.once('close', resolve)
    pieces.pipe(response)
  })
}
