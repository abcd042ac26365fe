import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RawClient {
  readonly socket: Socket
  send(bytes: string | Buffer): void
  /** Everything that has come, one character for each byte. */
  text(): string
  /** Resolves with it as soon as it fits; rejects when the connection ends before. */
  until(fits: (text: string) => boolean): Promise<string>
  /** Resolves with everything when the other side has closed. */
  ended: Promise<string>
}

/** A caller that speaks in bytes. */
export function rawClient(port: number): RawClient {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  const looks = new Set<() => void>()
  socket.on('error', () => undefined)
  socket.on('data', bytes => {
    text += bytes.toString('latin1')
    for (const look of looks) look()
  })
  const ended = new Promise<string>(resolve => socket.on('close', () => resolve(text)))
  onTestFinished(() => void socket.destroy())
  return {
    socket,
    send: bytes => void socket.write(typeof bytes === 'string' ? named(bytes, port) : bytes, 'latin1'),
    text: () => text,
    until: fits =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (fits(text)) resolve(text)
        }
        looks.add(look)
        look()
        void ended.then(all => reject(new Error(`The connection ended with ${JSON.stringify(all)}`)))
      }),
    ended,
  }
}

/** `h` stands for the name of the port that is asked, without which nothing passes the check of origins. */
export function named(text: string, port: number): string {
  return text.replaceAll('Host: h\r\n', `Host: localhost:${port}\r\n`)
}

/** A request head with what every request has. */
export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`
}

/** One byte for each character of the body. */
export function post(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: h\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}
