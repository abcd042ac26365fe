import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** What someone hears who is refused, or who came without a WebSocket. The connection ends with it. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Nothing that would tell a stranger what is here. */
export const forbidden: HttpAnswer = { status: 403, headers: {}, body: '' }

export const tooMany: HttpAnswer = json(503, {
  error: 'Service Unavailable',
  message: 'The server is full or closing. Try again later.',
})

export function upgradeRequired(port: number): HttpAnswer {
  const answer = json(426, {
    error: 'Upgrade Required',
    message: `This port speaks WebSocket: connect to ws://localhost:${port}`,
  })
  return { ...answer, headers: { ...answer.headers, upgrade: 'websocket' } }
}

export function answerRequest(response: ServerResponse, answer: HttpAnswer): void {
  response.writeHead(answer.status, headersOf(answer)).end(answer.body)
}

/** For a request to upgrade, of which only the bare socket is left. */
export function answerUpgrade(socket: Duplex, answer: HttpAnswer): void {
  const lines = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${lines.join('')}\r\n${answer.body}`,
  )
}

function headersOf({ headers, body }: HttpAnswer): Readonly<Record<string, string>> {
  return { connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers }
}

function json(status: number, body: object): HttpAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: `${JSON.stringify(body)}\n`,
  }
}
