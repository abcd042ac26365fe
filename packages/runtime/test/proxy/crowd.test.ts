import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { get, rawClient } from './raw-client.ts'
import { isWhole, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const count = process.env['WEAVE_PROOF'] === '1' ? 1_000 : 100
const event = `data: ${'x'.repeat(500)}\n\n`
const chunk = `${event.length.toString(16)}\r\n${event}\r\n`

describe('a crowd of streams', () => {
  verifies(
    ['4.2/stream-event-stream', 'd12/proxy-unchanged'],
    'of which half are given up in the middle leaves no socket and little memory, and the other half whole',
    async () => {
      const upstream = await rawUpstream((text, socket) => {
        if (!isWhole(text)) return false
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
        )
        return true
      })
      const proxy = await startedProxy(upstream.url)
      const before = process.memoryUsage().rss
      const clients = Array.from({ length: count }, () => rawClient(proxy.port))
      for (const client of clients) client.send(get('/v1/stream'))
      await Promise.all(clients.map(client => client.until(text => text.includes(event))))
      expect(upstream.open()).toBe(count)

      const [leaving, staying] = [clients.slice(0, count / 2), clients.slice(count / 2)]
      for (const { socket } of leaving) socket.destroy()
      for (let n = 0; n < 20; n++) {
        for (const socket of upstream.sockets) if (socket.writable) socket.write(chunk)
        await new Promise(resolve => setImmediate(resolve))
      }
      const left = Date.now()
      while (upstream.open() > count / 2) await new Promise(resolve => setTimeout(resolve, 5))
      expect(Date.now() - left).toBeLessThan(5_000)

      for (const socket of upstream.sockets) if (socket.writable) socket.write('0\r\n\r\n')
      const texts = await Promise.all(
        staying.map(client => client.until(text => text.endsWith('\r\n0\r\n\r\n'))),
      )
      expect(texts.filter(text => text.split(event).length !== 22)).toHaveLength(0)
      expect(process.memoryUsage().rss - before).toBeLessThan(250e6)
      for (const { socket } of staying) socket.destroy()
      await proxy.close()
      expect(proxy.log.entries.filter(({ level }) => level === 'error')).toEqual([])
      while (upstream.open() > 0) await new Promise(resolve => setTimeout(resolve, 5))
    },
    60_000,
  )
})
