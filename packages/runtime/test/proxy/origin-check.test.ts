import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { get, named, rawClient } from './raw-client.ts'
import { always, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

/** Heads that no agent sends; `h` is the name of the port. */
const foreign: Readonly<Record<string, string>> = {
  'a name that leads here': 'Host: evil.example\r\n',
  'a name and our port': 'Host: evil.example:80\r\n',
  'the host without its port': 'Host: localhost\r\n',
  'another spelling': 'Host: LOCALHOST\r\n',
  'an origin': 'Host: h\r\nOrigin: http://evil.example\r\n',
  'an origin without a name': 'Host: h\r\nOrigin: null\r\n',
  'an origin that is no address': 'Host: h\r\nOrigin: http://[::bad\r\n',
  'another port of this host': 'Host: h\r\nOrigin: http://localhost:1\r\n',
  'two origins': 'Host: h\r\nOrigin: http://a\r\nOrigin: http://a\r\n',
  'another site': 'Host: h\r\nSec-Fetch-Site: cross-site\r\n',
  'the same site': 'Host: h\r\nSec-Fetch-Site: same-site\r\n',
  'two sites': 'Host: h\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n',
}

verifies(
  ['d14/proxy-gate'],
  'a request that a page could make gets 403 and nothing else, on every path, and leads to no connection',
  async () => {
    const upstream = await rawUpstream(always(plain('up')))
    const proxy = await startedProxy(upstream.url)
    for (const [what, headers] of Object.entries(foreign)) {
      for (const path of ['/v1/messages', '/health', '/']) {
        const client = rawClient(proxy.port)
        // With a body that never comes: the head alone decides.
        client.send(`POST ${path} HTTP/1.1\r\n${headers}Content-Length: 5\r\n\r\n`)
        const answer = await client.until(text => text.includes('\r\n\r\n'))
        expect(answer, what).toBe(
          'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        )
      }
    }
    const old = rawClient(proxy.port)
    old.send('GET /x HTTP/1.0\r\n\r\n')
    expect(await old.ended).toMatch(/^HTTP\/1\.1 403 /)
    const socket = rawClient(proxy.port)
    socket.send(
      named('GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', proxy.port),
    )
    expect(await socket.ended).toMatch(/^HTTP\/1\.1 501 /)
    expect(upstream.connections()).toBe(0)
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const client = rawClient(proxy.port)
      const own = `${host}:${proxy.port}`
      client.send(`GET /x HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\nSec-Fetch-Site: none\r\n\r\n`)
      await client.until(text => text.endsWith('up'))
    }
    // A second request on a connection is looked at like the first.
    const twice = rawClient(proxy.port)
    twice.send(get('/x'))
    await twice.until(text => text.endsWith('up'))
    twice.send(get('/y', 'Origin: http://evil.example\r\n'))
    expect(await twice.ended).toMatch(/up.*HTTP\/1\.1 403 /s)
    expect(upstream.seen()).not.toContain('evil.example')
  },
)
