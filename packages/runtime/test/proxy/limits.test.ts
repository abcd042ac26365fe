import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { proxyLimits } from '../../src/proxy/callers.ts'
import type { Middleware } from '../../src/proxy/middleware.ts'
import { createHeldBodies } from '../../src/proxy/request-body.ts'
import { get, type RawClient, rawClient } from './raw-client.ts'
import { always, isWhole, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const mebibyte = 1024 * 1024

test('the limits are those of the design', () => {
  expect(proxyLimits).toEqual({
    callers: 128,
    heldBody: 33_554_432,
    heldBodies: 67_108_864,
    headMs: 15_000,
  })
})

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await new Promise(resolve => setTimeout(resolve, 2))
}

describe('callers', () => {
  verifies(
    ['attack/proxy-limits'],
    'are so many at a time; for one more an idle one goes, and when none is idle it is told to come later',
    async () => {
      const upstream = await rawUpstream((text, socket) => {
        if (isWhole(text) && !text.includes('/never')) socket.write(plain('up'))
        return isWhole(text)
      })
      const proxy = await startedProxy(upstream.url, { limits: { callers: 3 } })
      const served = async (): Promise<RawClient> => {
        const client = rawClient(proxy.port)
        client.send(get('/x'))
        await client.until(text => text.endsWith('up'))
        return client
      }
      const [first, second, third] = [await served(), await served(), await served()]
      const fourth = await served()
      await first.ended
      const others = [second, third, fourth]
      expect(others.map(({ socket }) => socket.destroyed)).toEqual([false, false, false])
      for (const client of others) client.send(get('/never'))
      await until(() => upstream.seen().split('/never').length === 4)
      const late = rawClient(proxy.port)
      late.send(get('/x'))
      expect(await late.ended).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
      expect(proxy.lines().join('\n')).toContain('refused a connection: there are 3 connections already')
      second.socket.destroy()
      await until(() => upstream.open() === 2)
      await served()
    },
  )

  verifies(
    ['attack/proxy-limits', '4.2/no-idle-timeout'],
    'have 15 s for a head from its first byte, and all the time in the world before it',
    async () => {
      const clock = createTestClock()
      const upstream = await rawUpstream(always(plain('up')))
      const proxy = await startedProxy(upstream.url, { clock })
      const silent = rawClient(proxy.port)
      await once(silent.socket, 'connect')
      const between = rawClient(proxy.port)
      between.send(get('/x'))
      await between.until(text => text.endsWith('up'))
      const half = rawClient(proxy.port)
      half.send('GET /x HTTP/1.1\r\nHost: h\r\n')
      const later = rawClient(proxy.port)
      later.send(get('/x'))
      await later.until(text => text.endsWith('up'))
      later.send('GET /y')
      await until(() => [half, later].every(({ socket }) => socket.bytesWritten > 0))
      await clock.advance(14_999)
      expect([half, later].map(({ socket }) => socket.destroyed)).toEqual([false, false])
      await clock.advance(2_000)
      expect(await half.ended).toBe(
        'HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain\r\nContent-Length: 35\r\nConnection: close\r\n\r\nRefused: no whole head within 15 s.',
      )
      expect(await later.ended).toContain('408 Request Timeout')
      await clock.advance(3_600_000)
      for (const client of [silent, between]) {
        client.send(get('/health'))
        await client.until(text => text.endsWith('Weave Proxy OK'))
      }
    },
  )
})

describe('bodies', () => {
  verifies(
    ['attack/proxy-limits'],
    'are held only as long as there is room beside the others; then they go up unread, as they come',
    async () => {
      const upstream = await rawUpstream(always(plain('up')))
      const texts: (string | undefined)[] = []
      const reading: Middleware = {
        onRequest(request, text) {
          texts.push(text)
          return request
        },
      }
      const proxy = await startedProxy(upstream.url, {
        limits: { heldBodies: 100_000, heldBody: 60_000 },
        middleware: [reading],
      })
      const begin = (): RawClient => {
        const client = rawClient(proxy.port)
        client.send(`POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 50001\r\n\r\n${'@'.repeat(50_000)}`)
        return client
      }
      const isRead = async (client: RawClient): Promise<boolean> => {
        client.send('!')
        await client.until(text => text.endsWith('up'))
        client.socket.destroy()
        return texts.at(-1) !== undefined
      }
      // None of the three is whole, and there is room for two.
      const unfinished = [begin(), begin(), begin()]
      await until(() => upstream.seen().split('@').length > 50_000)
      expect(texts).toContain(undefined)
      for (const client of unfinished) await isRead(client)
      expect(upstream.seen().split('@').length).toBe(150_001)
      // What was answered is not held any more.
      for (let n = 0; n < 5; n++) expect(await isRead(begin())).toBe(true)
      // Nor is what belongs to those who left.
      const leaving = [begin(), begin(), begin()]
      await until(() => upstream.seen().split('@').length > 450_000)
      for (const client of leaving) client.socket.destroy()
      while (!(await isRead(begin()))) await new Promise(resolve => setImmediate(resolve))
    },
  )

  test('an account gives back what it took, once', () => {
    const held = createHeldBodies(100)
    const [one, other] = [held.open(), held.open()]
    expect(one.add(60)).toBe(true)
    expect(other.add(50)).toBe(false)
    expect(other.add(40)).toBe(true)
    one.release()
    one.release()
    expect(other.add(61)).toBe(false)
    expect(other.add(60)).toBe(true)
    other.release()
    expect(one.add(100)).toBe(true)
    expect(one.add(1)).toBe(false)
  })
})

describe('interim answers', () => {
  verifies(['attack/proxy-limits'], 'without end are dropped for a caller that does not read', async () => {
    const hints = Buffer.from(`HTTP/1.1 103 Early Hints\r\nLink: <${'x'.repeat(1_000)}>\r\n\r\n`.repeat(64))
    const most = 64 * mebibyte
    let sent = 0
    const upstream = await rawUpstream((text, socket) => {
      if (!isWhole(text)) return false
      const more = (): void => {
        while (sent < most && socket.write(hints)) sent += hints.length
        sent += hints.length
        if (sent >= most) socket.write(plain('at last'))
      }
      socket.on('drain', more)
      more()
      return true
    })
    const proxy = await startedProxy(upstream.url)
    const client = rawClient(proxy.port)
    client.socket.pause()
    client.send(get('/x'))
    await until(() => sent >= most)
    client.socket.resume()
    const all = await client.until(text => text.endsWith('at last'))
    expect(all).toMatch(/^HTTP\/1\.1 103 Early Hints/)
    expect(all.length).toBeLessThan(most / 2)
  })
})

describe('an answer', () => {
  verifies(
    ['attack/connection-content-length'],
    'of which the upstream calls the length a matter of one hop keeps its border to the next one',
    async () => {
      const answers = ['hello', 'world']
      const upstream = await rawUpstream((text, socket) => {
        if (!isWhole(text)) return false
        const body = answers.shift() ?? ''
        socket.write(
          `HTTP/1.1 200 OK\r\nConnection: keep-alive, content-length\r\nContent-Length: 5\r\n\r\n${body}`,
        )
        return true
      })
      const proxy = await startedProxy(upstream.url)
      const client = rawClient(proxy.port)
      client.send(get('/first') + get('/second'))
      const both = await client.until(text => text.endsWith('world'))
      const answer = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${body}`
      expect(both).toBe(answer('hello') + answer('world'))
    },
  )
})
