import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { get, rawClient } from './raw-client.ts'
import { always, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const host = 'Host: h\r\n'
const form = (line: string, headers = host, body = ''): string => `${line}\r\n${headers}\r\n${body}`
const smuggled = 'GET /stolen HTTP/1.1\r\nHost: h\r\n\r\n'
const canary = 'http://canary.invalid'

/** Requests that lead elsewhere, or that two programs would read in two ways. */
const forms: readonly (readonly [string, string])[] = [
  ['absolute form', form(`GET ${canary}/x HTTP/1.1`)],
  ['absolute form with https', form('GET https://canary.invalid/x HTTP/1.1')],
  ['absolute form with a user', form('GET http://h@canary.invalid/x HTTP/1.1')],
  ['a scheme without slashes', form('GET http:canary.invalid HTTP/1.1')],
  ['two slashes', form('GET //canary.invalid/x HTTP/1.1')],
  ['three slashes', form('GET ///canary.invalid/x HTTP/1.1')],
  ['slash and backslash', form('GET /\\canary.invalid/x HTTP/1.1')],
  ['backslash first', form('GET \\canary.invalid/x HTTP/1.1')],
  ['backslash later', form('GET /x\\..\\y HTTP/1.1')],
  ['no slash', form('GET canary.invalid HTTP/1.1')],
  ['authority form', form('GET canary.invalid:80 HTTP/1.1')],
  ['asterisk form', form('OPTIONS * HTTP/1.1')],
  ['a user before the path', form('GET @canary.invalid/ HTTP/1.1')],
  ['a fragment', form('GET /x#y HTTP/1.1')],
  ['an empty path', form('GET  HTTP/1.1')],
  ['CONNECT', form('CONNECT canary.invalid:443 HTTP/1.1')],
  ['CONNECT with a path', form('CONNECT /x HTTP/1.1')],
  ['Upgrade to WebSocket', form('GET /x HTTP/1.1', `${host}Connection: Upgrade\r\nUpgrade: websocket\r\n`)],
  [
    'Upgrade to h2c',
    form('GET /x HTTP/1.1', `${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n`),
  ],
  ['Upgrade without Connection', form('GET /x HTTP/1.1', `${host}Upgrade: x\r\n`)],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/0.9', 'GET /x\r\n\r\n'],
  ['HTTP/2', form('GET /x HTTP/2.0')],
  ['HTTP/1.2', form('GET /x HTTP/1.2')],
  ['small letters in the version', form('GET /x http/1.1')],
  ['no Host', form('GET /x HTTP/1.1', '')],
  ['two Hosts', form('GET /x HTTP/1.1', `${host}Host: canary.invalid\r\n`)],
  ['two Hosts that are equal', form('GET /x HTTP/1.1', host + host)],
  ['a Host with a fold', form('GET /x HTTP/1.1', 'Host: h\r\n canary.invalid\r\n')],
  ['a fold before the first header', 'GET /x HTTP/1.1\r\n Host: canary.invalid\r\nHost: h\r\n\r\n'],
  ['a space before the colon', form('POST /x HTTP/1.1', `${host}Content-Length : 5\r\n`, 'abcde')],
  ['a header without a name', form('GET /x HTTP/1.1', `${host}: x\r\n`)],
  ['a header without a colon', form('GET /x HTTP/1.1', `${host}Nothing\r\n`)],
  ['a NUL in a value', form('GET /x HTTP/1.1', `${host}X: a\0b\r\n`)],
  ['a bare CR in a value', form('GET /x HTTP/1.1', `${host}X: a\rY: b\r\n`)],
  ['bare line feeds', 'GET /x HTTP/1.1\nHost: h\n\n'],
  ['a bare line feed between headers', 'GET /x HTTP/1.1\r\nHost: h\nX: y\r\n\r\n'],
  ['a tab in the request line', form('GET\t/x\tHTTP/1.1')],
  ['a byte that is not ASCII in the path', form('GET /\u00e9 HTTP/1.1')],
  ['a control in the method', form('GE\u0001T /x HTTP/1.1')],
  [
    'length and chunks',
    form(
      'POST /x HTTP/1.1',
      `${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
      `0\r\n\r\n${smuggled}`,
    ),
  ],
  [
    'chunks and length',
    form(
      'POST /x HTTP/1.1',
      `${host}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`,
      `0\r\n\r\n${smuggled}`,
    ),
  ],
  ['two lengths', form('POST /x HTTP/1.1', `${host}Content-Length: 0\r\nContent-Length: 34\r\n`, smuggled)],
  ['two equal lengths', form('POST /x HTTP/1.1', `${host}Content-Length: 1\r\nContent-Length: 1\r\n`, 'a')],
  ['a list of lengths', form('POST /x HTTP/1.1', `${host}Content-Length: 1, 1\r\n`, 'a')],
  ['a length with a sign', form('POST /x HTTP/1.1', `${host}Content-Length: +1\r\n`, 'a')],
  ['a length in hexadecimal', form('POST /x HTTP/1.1', `${host}Content-Length: 0x1\r\n`, 'a')],
  ['an empty length', form('POST /x HTTP/1.1', `${host}Content-Length:\r\n`, 'a')],
  [
    'a length beyond all reason',
    form('POST /x HTTP/1.1', `${host}Content-Length: 99999999999999999999\r\n`, 'a'),
  ],
  [
    'chunks twice',
    form(
      'POST /x HTTP/1.1',
      `${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`,
      '0\r\n\r\n',
    ),
  ],
  ['another coding', form('POST /x HTTP/1.1', `${host}Transfer-Encoding: gzip, chunked\r\n`, '0\r\n\r\n')],
  [
    'chunks and identity',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: chunked, identity\r\n`, '0\r\n\r\n'),
  ],
  [
    'a coding with a vertical tab',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: \u000bchunked\r\n`, '0\r\n\r\n'),
  ],
  ['chunks in HTTP/1.0', form('POST /x HTTP/1.0', `${host}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n')],
  [
    'a chunk with a bare line feed',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: chunked\r\n`, '1\na\r\n0\r\n\r\n'),
  ],
  [
    'an extension with a bare line feed',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: chunked\r\n`, `2;\nxx\r\n4c\r\n0\r\n\r\n${smuggled}`),
  ],
  [
    'a chunk with a sign',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: chunked\r\n`, '-1\r\na\r\n0\r\n\r\n'),
  ],
  [
    'more than the chunk says',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: chunked\r\n`, '1\r\nabc\r\n0\r\n\r\n'),
  ],
  [
    'a trailer that is no header',
    form('POST /x HTTP/1.1', `${host}Transfer-Encoding: chunked\r\n`, '0\r\n\0\r\n\r\n'),
  ],
  [
    'an unknown expectation',
    form('POST /x HTTP/1.1', `${host}Expect: wonders\r\nContent-Length: 1\r\n`, 'a'),
  ],
  ['a head without an end', `GET /x HTTP/1.1\r\nX: ${'a'.repeat(70_000)}`],
  ['too many headers', form('GET /x HTTP/1.1', `${host}${'X: y\r\n'.repeat(15_000)}`)],
]

describe('a request in a form that could lead elsewhere', () => {
  verifies(
    ['d12/proxy-only-upstream'],
    'is refused and its connection closed, and the upstream sees nothing of it',
    async () => {
      expect(forms.length).toBeGreaterThanOrEqual(40)
      const upstream = await rawUpstream(always(plain('seen')))
      const proxy = await startedProxy(upstream.url)
      const answers = await Promise.all(
        forms.map(async ([what, bytes]) => {
          const client = rawClient(proxy.port)
          // What follows in the same breath must not be taken for a request either.
          client.send(bytes + smuggled)
          return [what, (await client.ended).slice(0, 12)] as const
        }),
      )
      expect(answers.filter(([, answer]) => !/^HTTP\/1\.1 (?:4|501|505)/.test(answer))).toEqual([])
      expect(upstream.connections()).toBe(0)
      expect(upstream.seen()).toBe('')
      const fine = rawClient(proxy.port)
      fine.send(get('/x'))
      expect(await fine.until(text => text.endsWith('seen'))).toMatch(/^HTTP\/1\.1 200/)
    },
  )

  verifies(
    ['d12/proxy-only-upstream'],
    'with dots in the path stays below the path of the upstream address',
    async () => {
      const upstream = await rawUpstream(always(plain('seen')))
      const proxy = await startedProxy(`${upstream.url}/team/a`)
      for (const path of ['/../b', '/x/../../b', '/%2e%2e/b', '/x/.%2E/y', '/..', '/..?q', '/./x']) {
        const client = rawClient(proxy.port)
        client.send(get(path))
        expect(await client.ended, path).toMatch(/^HTTP\/1\.1 400/)
      }
      expect(upstream.connections()).toBe(0)
      const client = rawClient(proxy.port)
      client.send(get('/x..y/.z?../..'))
      await client.until(text => text.endsWith('seen'))
      expect(upstream.seen()).toMatch(/^GET \/team\/a\/x\.\.y\/\.z\?\.\.\/\.\. HTTP/)
    },
  )
})

const broken: readonly (readonly [string, string])[] = [
  ['no HTTP at all', 'what?\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 5\r\n\r\naaaaa'],
  [
    'length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx'],
  ['a fold', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n'],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
  ['a NUL', 'HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 0\r\n\r\n'],
  ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(70_000)}`],
]

describe('a response that could be read in two ways', () => {
  verifies(
    ['7.2/exception'],
    'is answered with Proxy Error, and its connection is not used again',
    async () => {
      for (const [what, bytes] of broken) {
        const upstream = await rawUpstream(always(bytes))
        const proxy = await startedProxy(upstream.url)
        const client = rawClient(proxy.port)
        client.send(get('/x'))
        expect(await client.until(text => text.endsWith('Error')), what).toMatch(/^HTTP\/1\.1 500/)
        client.send(get('/y'))
        await client.until(text => text.split('Proxy Error').length === 3)
        expect(upstream.connections(), what).toBe(2)
      }
    },
  )

  verifies(
    ['d12/proxy-only-upstream'],
    'because more comes than was asked for never answers the next request',
    async () => {
      const poison = plain('poison')
      const upstream = await rawUpstream((text, socket) => {
        if (!text.includes('\r\n\r\n')) return false
        socket.write(plain('mine') + (text.includes('/first') ? poison : ''))
        return true
      })
      const proxy = await startedProxy(upstream.url)
      const client = rawClient(proxy.port)
      client.send(get('/first'))
      await client.until(text => text.endsWith('mine'))
      client.send(get('/second'))
      const all = await client.until(text => text.split('mine').length === 3)
      expect(all).not.toContain('poison')
      expect(upstream.connections()).toBe(2)
    },
  )

  verifies(['7.2/exception'], 'and breaks in the middle of its body cuts the caller off', async () => {
    for (const body of [
      'Transfer-Encoding: chunked\r\n\r\n3\r\none\r\nx\r\n',
      'Content-Length: 10\r\n\r\nhalf',
    ]) {
      const upstream = await rawUpstream((text, socket) => {
        if (!text.includes('\r\n\r\n')) return false
        socket.write(`HTTP/1.1 200 OK\r\n${body}`, () => socket.destroy())
        return true
      })
      const proxy = await startedProxy(upstream.url)
      const client = rawClient(proxy.port)
      client.send(get('/x'))
      const all = await client.ended
      expect(all).toMatch(/^HTTP\/1\.1 200/)
      expect(all).not.toMatch(/\r\n0\r\n\r\n$|Proxy Error/)
    }
  })
})
