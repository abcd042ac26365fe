import type { Socket } from 'node:net'
import { createHeadBuffer } from '../wire/head-buffer.ts'
import { headText } from '../wire/head-text.ts'
import { readResponseHead } from '../wire/response-head.ts'
import type { OutboundProxy } from './outbound-proxy.ts'

/**
 * Asks a proxy for a way through to `target` (`host:port`). Resolves when the socket belongs to the target; rejects, and
 * ends the socket, on any other answer.
 */
export function openTunnel(
  socket: Socket,
  target: string,
  { authorization }: OutboundProxy,
): Promise<Socket> {
  const headers = [
    { name: 'Host', value: target },
    ...(authorization === undefined ? [] : [{ name: 'Proxy-Authorization', value: authorization }]),
  ]
  return new Promise((resolve, reject) => {
    const buffer = createHeadBuffer()
    const settle = (problem?: string): void => {
      socket.off('data', take)
      socket.off('close', closed)
      if (problem === undefined) {
        socket.pause()
        resolve(socket)
        return
      }
      socket.destroy()
      reject(new Error(`The outbound proxy ${problem}.`))
    }
    const take = (bytes: Buffer): void => {
      const taken = buffer.push(bytes)
      if (taken.kind === 'more') return
      if (taken.kind === 'fault') {
        settle('gave a malformed answer')
        return
      }
      const read = readResponseHead(taken.text, 'CONNECT')
      // The target says nothing before it is asked, so more bytes would be somebody else's.
      if (!read.ok || taken.rest.length > 0) {
        settle('gave a malformed answer')
        return
      }
      settle(read.head.status === 200 ? undefined : `answered with ${read.head.status}`)
    }
    const closed = (): void => settle('closed the connection')
    socket.on('data', take)
    socket.on('close', closed)
    socket.write(headText(`CONNECT ${target} HTTP/1.1`, headers), 'latin1')
  })
}
