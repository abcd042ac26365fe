import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

/** Someone who tells events to everyone connected. */
export interface Sender {
  readonly port: number
  /** Frames that each newcomer gets before anything else. */
  readonly greetings: number
  tell(message: string): void
  close(): Promise<void>
}

/** The usual way: one serialisation, then `ws.send` of the text for each client. */
export async function plainSender(): Promise<Sender> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  let seq = 0
  return {
    port: (server.address() as AddressInfo).port,
    greetings: 0,
    tell(message) {
      const timestamp = new Date().toISOString()
      const text = JSON.stringify({
        seq: ++seq,
        id: `evt_${seq}`,
        timestamp,
        type: 'info',
        data: { message },
      })
      for (const client of server.clients) if (client.readyState === WebSocket.OPEN) client.send(text)
    },
    async close() {
      for (const client of server.clients) client.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
