import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface RawUpstream {
  readonly url: string
  readonly port: number
  /** Every byte that ever came, one character each, in the order of the connections. */
  readonly seen: () => string
  /** Connections that were ever made. */
  readonly connections: () => number
  /** Connections that are open now. */
  readonly open: () => number
  readonly sockets: readonly Socket[]
}

/** Called with everything that has come on a connection and was not answered yet; true: it was, and counts no more. */
export type Answer = (text: string, socket: Socket) => boolean

/** An upstream that sees and answers in bytes; closed when the test ends. */
export async function rawUpstream(answer: Answer, host = '127.0.0.1'): Promise<RawUpstream> {
  const server: Server = createServer({ noDelay: true })
  return watched(server, answer, host)
}

/** The same around a server of another kind. */
export async function watched(server: Server, answer: Answer, host = '127.0.0.1'): Promise<RawUpstream> {
  const sockets: Socket[] = []
  const texts: string[] = []
  const take = (socket: Socket): void => {
    const index = sockets.push(socket) - 1
    texts[index] = ''
    let held = ''
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      texts[index] += bytes.toString('latin1')
      held += bytes.toString('latin1')
      if (answer(held, socket)) held = ''
    })
  }
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', take)
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    port,
    seen: () => texts.join(''),
    connections: () => sockets.length,
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    sockets,
  }
}

/** A request is whole: its head, and as many bytes as it says, or its last chunk. */
export function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1]
  if (length !== undefined) return text.length >= end + 4 + Number(length)
  return !/^transfer-encoding:/im.test(text.slice(0, end)) || text.endsWith('0\r\n\r\n')
}

/** Answers every whole request with the same bytes. */
export function always(bytes: string | Buffer): Answer {
  return (text, socket) => {
    if (!isWhole(text)) return false
    socket.write(bytes, 'latin1')
    return true
  }
}

export function plain(body: string, headers = ''): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}
