import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { memoryLog } from '../../../../test/support/memory-log.ts'
import { systemClock } from '../../src/kit/index.ts'
import { defaultUpstream, startProxy } from '../../src/proxy/index.ts'
import { outboundProxy, readUpstream } from '../../src/proxy/upstream/upstream-address.ts'
import { get, post, rawClient } from './raw-client.ts'
import { always, isWhole, plain, type RawUpstream, rawUpstream, watched } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const fixture = (name: string): string => new URL(`./fixtures/${name}`, import.meta.url).pathname
const authority = fixture('authority.pem')

function tlsUpstream(): Promise<RawUpstream> {
  const server = createTlsServer({
    key: readFileSync(fixture('server-key.pem')),
    cert: readFileSync(fixture('server.pem')),
  })
  server.on('tlsClientError', () => undefined)
  return watched(server, always(plain('secret')))
}

interface Tunnels {
  readonly port: number
  readonly heads: string[]
}

/** A proxy to the outside that lets every name lead to one port of this machine. */
async function tunnelTo(
  port: number,
  answer = 'HTTP/1.1 200 Connection established\r\n\r\n',
): Promise<Tunnels> {
  const heads: string[] = []
  const sockets: Socket[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', bytes => {
      heads.push(bytes.toString('latin1'))
      socket.write(answer)
      if (!answer.includes(' 200 ')) return
      const other = connect(port, '127.0.0.1')
      sockets.push(other)
      other.on('error', () => socket.destroy())
      other.pipe(socket).pipe(other)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, heads }
}

async function ask(port: number): Promise<string> {
  const client = rawClient(port)
  client.send(post('/v1/x', 'hello', 'X-Api-Key: k\r\n'))
  const answer = await client.until(text => /\r\n\r\n./s.test(text))
  client.socket.destroy()
  return answer
}

describe('an upstream with TLS', () => {
  it('is believed when NODE_EXTRA_CA_CERTS names who signed for it, and otherwise told nothing', async () => {
    const upstream = await tlsUpstream()
    const trusting = await startedProxy(`https://localhost:${upstream.port}`, {
      environment: { NODE_EXTRA_CA_CERTS: authority },
    })
    expect(await ask(trusting.port)).toMatch(/secret$/)
    expect(upstream.seen()).toContain(`host: localhost:${upstream.port}\r\n`)
    const byAddress = await startedProxy(`https://127.0.0.1:${upstream.port}`, {
      environment: { SSL_CERT_FILE: authority },
    })
    expect(await ask(byAddress.port)).toMatch(/secret$/)
    const before = upstream.seen().length
    const doubting = await startedProxy(`https://localhost:${upstream.port}`)
    expect(await ask(doubting.port)).toMatch(/Proxy Error$/)
    expect(upstream.seen().length).toBe(before)
  })

  it('is reached through the proxy that HTTPS_PROXY names, and its certificate is still looked at', async () => {
    const upstream = await tlsUpstream()
    const tunnel = await tunnelTo(upstream.port)
    const environment = {
      HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${tunnel.port}`,
      NODE_EXTRA_CA_CERTS: authority,
    }
    const proxy = await startedProxy('https://api.upstream.test', { environment })
    expect(await ask(proxy.port)).toMatch(/secret$/)
    expect(tunnel.heads).toEqual([
      'CONNECT api.upstream.test:443 HTTP/1.1\r\nhost: api.upstream.test:443\r\nconnection: close\r\n' +
        `proxy-authorization: Basic ${Buffer.from('user:p@ss').toString('base64')}\r\n\r\n`,
    ])
    expect(upstream.seen()).toContain('host: api.upstream.test\r\n')
    expect(upstream.seen()).not.toMatch(/proxy-authorization/i)
    const other = await startedProxy('https://other.upstream.test', { environment })
    expect(await ask(other.port)).toMatch(/Proxy Error$/)
    const refusing = await tunnelTo(
      upstream.port,
      'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n',
    )
    const refused = await startedProxy('https://api.upstream.test', {
      environment: { ...environment, https_proxy: `127.0.0.1:${refusing.port}` },
    })
    expect(await ask(refused.port)).toMatch(/Proxy Error$/)
    expect(JSON.stringify(refused.log.entries.map(({ fields }) => String(fields?.['error'])))).toContain(
      '407',
    )
  })
})

describe('the proxy to the outside', () => {
  const named = { HTTPS_PROXY: 'http://out.example:3128' }
  const chosen = (address: string, environment: Readonly<Record<string, string>>) => {
    const read = readUpstream(address)
    const found = read.ok ? outboundProxy(read.upstream, environment) : undefined
    return found?.ok === true ? found.proxy?.hostname : undefined
  }

  it.each([
    ['https://api.example.com', named, 'out.example'],
    ['https://api.example.com', { ...named, NO_PROXY: 'example.com' }, undefined],
    ['https://api.example.com', { ...named, NO_PROXY: '.example.com, x' }, undefined],
    ['https://api.example.com', { ...named, no_proxy: '*' }, undefined],
    ['https://api.example.com', { ...named, NO_PROXY: 'ample.com' }, 'out.example'],
    ['https://api.example.com', { ...named, NO_PROXY: 'api.example.com:8443' }, 'out.example'],
    ['https://api.example.com:8443', { ...named, NO_PROXY: 'api.example.com:8443' }, undefined],
    ['https://api.example.com', { ...named, https_proxy: 'small.example' }, 'small.example'],
    ['https://api.example.com', { ALL_PROXY: 'http://all.example' }, 'all.example'],
    ['https://api.example.com', { HTTPS_PROXY: '' }, undefined],
    ['https://localhost:1', named, undefined],
    ['http://127.0.0.1:1', named, undefined],
  ])('for %s with %o is %s', (address, environment, expected) => {
    expect(chosen(address, environment as Readonly<Record<string, string>>)).toBe(expected)
  })

  it('that cannot be used stops the start', async () => {
    const base = {
      port: 0,
      log: memoryLog(),
      logLevel: 'info',
      clock: systemClock,
      redact: (text: string) => text,
      allowOtherUsers: false,
    } as const
    for (const HTTPS_PROXY of ['socks5://out.example:1080', 'http://user:50%@out.example:3128']) {
      const environment = { HTTPS_PROXY }
      const started = await startProxy({ ...base, upstream: 'https://api.example.com', environment })
      expect(started).toMatchObject({
        ok: false,
        message: 'HTTPS_PROXY is not the address of an http or https proxy.',
      })
    }
    for (const upstream of ['ftp://x', 'nothing', 'https://u:p@x.example', 'https://x.example/?q'])
      expect((await startProxy({ ...base, upstream, environment: {} })).ok, upstream).toBe(false)
  })
})

describe('connections to the upstream', () => {
  verifies(
    ['d1/default-upstream', '4.2/upstream-default'],
    'lead to the vendor when nothing else was said',
    () => {
      expect(defaultUpstream).toBe('https://api.anthropic.com')
      expect(readUpstream(defaultUpstream)).toMatchObject({
        upstream: {
          isTls: true,
          hostname: 'api.anthropic.com',
          port: 443,
          host: 'api.anthropic.com',
          prefix: '',
        },
      })
    },
  )

  it('are used again one after the other, as many as there are requests at a time', async () => {
    const upstream = await rawUpstream(always(plain('ok')))
    const proxy = await startedProxy(upstream.url)
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 8 }, () => ask(proxy.port)))
    expect(upstream.connections()).toBeLessThanOrEqual(8)
  })

  it('are not used again once the upstream may be about to close them', async () => {
    const upstream = await rawUpstream(always(plain('ok', 'Keep-Alive: timeout=2, max=100\r\n')))
    const proxy = await startedProxy(upstream.url)
    await ask(proxy.port)
    await ask(proxy.port)
    expect(upstream.connections()).toBe(1)
    while (upstream.open() > 0) await new Promise(resolve => setTimeout(resolve, 10))
    await ask(proxy.port)
    expect(upstream.connections()).toBe(2)
  })

  it('that the upstream closes are forgotten', async () => {
    const upstream = await rawUpstream((text, socket) => {
      if (!isWhole(text)) return false
      socket.end(plain('ok', 'Connection: close\r\n'))
      return true
    })
    const proxy = await startedProxy(upstream.url)
    const client = rawClient(proxy.port)
    for (let n = 1; n <= 3; n++) {
      client.send(get('/x'))
      await client.until(text => text.split('\r\n\r\nok').length > n)
    }
    expect(upstream.connections()).toBe(3)
  })
})
