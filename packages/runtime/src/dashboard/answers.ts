import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ReadErrorCode, readErrors } from '@weave/protocol'
import { jsonType } from './job.ts'
import { safetyHeaders } from './shell.ts'

/** Every answer of a dashboard's host is written here, so that none goes out without its headers. */

export function begin(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const port = response.socket?.localPort ?? 0
  response.writeHead(status, { ...safetyHeaders(port, response.req.headers.host), ...headers })
}

export function answerBytes(
  response: ServerResponse,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): void {
  begin(response, 200, { ...headers, 'content-length': bytes.length })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

export function answerJson(response: ServerResponse, value: object, status = 200): void {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
  begin(response, status, { 'content-type': jsonType, 'content-length': bytes.length })
  response.end(bytes)
}

export function answerError(response: ServerResponse, error: ReadErrorCode, message: string): void {
  answerJson(response, { error, message }, readErrors[error])
}

/** Of `authorization: Bearer …`. */
export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\w-]{1,200})$/.exec(headers.authorization ?? '')?.[1]
}

const longestBody = 4_096

/** Undefined: it is too long, cut off, or no JSON. Never rejects. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length
      if (length > longestBody) return undefined
      parts.push(part)
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    return undefined
  }
}
