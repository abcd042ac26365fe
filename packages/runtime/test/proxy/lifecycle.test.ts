import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createProxyServer } from '../../src/proxy/callers.ts'
import { get, named, post, rawClient } from './raw-client.ts'
import { always, isWhole, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

/** A port that was free a moment ago, and its neighbour too. */
async function twoPorts(): Promise<number> {
  for (;;) {
    const first = createServer().listen(0, '127.0.0.1')
    await once(first, 'listening')
    const { port } = first.address() as AddressInfo
    const second = createServer().listen(port + 1, '127.0.0.1')
    const isFree = await Promise.race([
      once(second, 'listening').then(() => true),
      once(second, 'error').then(() => false),
    ])
    second.close()
    first.close()
    if (isFree) return port
  }
}

describe('the port', () => {
  verifies(
    ['4.2/preferred-port'],
    'is the preferred one when that is free, on both loopback addresses',
    async () => {
      const port = await twoPorts()
      const proxy = await startedProxy('http://127.0.0.1:1', { port: port + 1 })
      expect(proxy.port).toBe(port + 1)
      expect(proxy.url).toBe(`http://localhost:${port + 1}`)
      for (const host of ['127.0.0.1', '::1']) {
        const answer = await fetch(`http://${host === '::1' ? '[::1]' : host}:${proxy.port}/health`)
        expect(await answer.text()).toBe('Weave Proxy OK')
      }
    },
  )

  verifies(
    ['4.2/port-in-use'],
    'is one that the system chooses when another program has the preferred one',
    async () => {
      for (const host of ['127.0.0.1', '::1']) {
        const other = createServer().listen(0, host)
        await once(other, 'listening')
        onTestFinished(() => void other.close())
        const { port } = other.address() as AddressInfo
        const proxy = await startedProxy('http://127.0.0.1:1', { port })
        expect(proxy.port).not.toBe(port)
        expect(await (await fetch(`${proxy.url}/health`)).text()).toBe('Weave Proxy OK')
      }
      const last = await startedProxy('http://127.0.0.1:1', { port: 65_536 })
      expect(last.port).toBeLessThan(65_536)
    },
  )
})

describe('the end', () => {
  it('cuts both sides of what is under way and lets nobody in', async () => {
    const upstream = await rawUpstream(text => isWhole(text))
    const proxy = await startedProxy(upstream.url)
    const [busy, idle] = [rawClient(proxy.port), rawClient(proxy.port)]
    busy.send(get('/x'))
    idle.send(get('/health'))
    await idle.until(text => text.endsWith('OK'))
    while (upstream.open() === 0) await new Promise(resolve => setTimeout(resolve, 2))
    await proxy.close()
    await Promise.all([busy.ended, idle.ended])
    while (upstream.open() > 0) await new Promise(resolve => setTimeout(resolve, 2))
    const late = connect(proxy.port, '127.0.0.1')
    const [error] = (await once(late, 'error')) as [Error & { readonly code?: string }]
    expect(error.code).toBe('ECONNREFUSED')
    await proxy.close()
  })
})

describe('time', () => {
  verifies(
    ['4.2/no-idle-timeout', '8/proxy-idle-timeout'],
    'ends no connection: none of its sockets has a limit, before, between and during requests',
    async () => {
      const upstream = await rawUpstream(always(plain('ok')))
      const proxy = await startedProxy(upstream.url)
      const server = createProxyServer()
      const { timeout, headersTimeout, requestTimeout, keepAliveTimeout } = server
      expect([timeout, headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([0, 0, 0, 0])

      const slow = rawClient(proxy.port)
      for (const byte of named(post('/x', 'abc'), proxy.port)) {
        slow.send(byte)
        await new Promise(resolve => setImmediate(resolve))
      }
      await slow.until(text => text.endsWith('ok'))
    },
  )
})
