import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../kit/index.ts'

/** What goes back over the connection. */
export type Delivery =
  | {
      readonly kind: 'json'
      readonly status: number
      readonly body: JsonObject
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'pieces'
      readonly type: 'application/json' | 'text/event-stream'
      readonly pieces: readonly string[]
      readonly broken?: 'cut' | 'garbage' | 'stall'
    }
  /** The connection ends here, with nothing said. */
  | { readonly kind: 'cut' }

/** Never throws: a client that has gone is not an error. A delivery that stalls stays open until the client has enough. */
export function deliver(response: ServerResponse, delivery: Delivery): void {
  if (response.destroyed) return
  try {
    send(response, delivery)
  } catch {
    // A script may ask for what HTTP cannot say, such as a status of 1000.
    response.destroy()
  }
}

function send(response: ServerResponse, delivery: Delivery): void {
  if (delivery.kind === 'cut') {
    response.destroy()
    return
  }
  if (delivery.kind === 'json') {
    response.writeHead(delivery.status, { 'content-type': 'application/json', ...delivery.headers })
    response.end(JSON.stringify(delivery.body))
    return
  }
  const { type, pieces, broken } = delivery
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
  if (broken === undefined) {
    response.end(pieces.join(''))
    return
  }
  const half = pieces.slice(0, Math.ceil(pieces.length / 2)).join('')
  if (broken === 'garbage') response.end(`${half}data: {"type": nonsense\n\n`)
  else if (broken === 'cut') response.write(half, () => response.destroy())
  else response.write(half)
}
