import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { doubleMaxTokens } from '../../src/proxy/middleware/double-max-tokens.ts'
import type { Middleware } from '../../src/proxy/middleware.ts'
import { get, post, rawClient } from './raw-client.ts'
import { always, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const data = {
  model: 'm-1',
  max_tokens: 7,
  messages: [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
  ],
  stream: false,
  something_new: { deep: [1, 2.5, null] },
}
const body = JSON.stringify(data)

/** Tells the names of middleware as they are called. */
function witness(name: string, calls: string[]): Middleware {
  return {
    onRequest(request) {
      calls.push(`${name} request`)
      return request
    },
    onResponse(response) {
      calls.push(`${name} response ${response.status}`)
      return response
    },
  }
}

async function asked(port: number, request: string, fits: RegExp = /\r\n\r\n./s): Promise<string> {
  const client = rawClient(port)
  client.send(request)
  const answer = await client.until(text => fits.test(text))
  client.socket.destroy()
  return answer
}

describe('the health paths', () => {
  verifies(
    ['4.2/health', '4.2/root-same-as-health', '4.2/health-bypasses-middleware', '5/proxy-unauthenticated'],
    'are answered by the proxy itself, past the middleware and without a credential',
    async () => {
      const calls: string[] = []
      const upstream = await rawUpstream(always(plain('up')))
      const proxy = await startedProxy(upstream.url, { middleware: [witness('a', calls)] })
      const health = await asked(proxy.port, get('/health'), /OK$/)
      expect(health).toBe(
        'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\nWeave Proxy OK',
      )
      expect(await asked(proxy.port, get('/'), /OK$/)).toBe(health)
      expect(calls).toEqual([])
      expect(upstream.connections()).toBe(0)
      for (const request of [get('/health?x=1'), get('/?'), post('/health', 'x')])
        expect(await asked(proxy.port, request)).toMatch(/up$/)
    },
  )
})

describe('the pipeline', () => {
  verifies(
    [
      '4.2/pipeline-order',
      '4.2/pipeline-extract',
      '4.2/pipeline-request-middleware-order',
      '4.2/pipeline-request-middleware-arguments',
      '4.2/pipeline-response-middleware-order',
      '2.14/request',
      '2.14/request-url',
      '2.14/request-body',
      '2.14/request-data-present',
      '2.14/request-data-unknown-keys',
      '2.14/response',
    ],
    'takes a request apart, shows it to the middleware in order, sends it, and shows the response in order',
    async () => {
      const calls: string[] = []
      const upstream = await rawUpstream((text, socket) => {
        if (!text.endsWith(body)) return false
        calls.push('sent')
        socket.write(plain('fine', 'X-Two: 1\r\nx-two: 2\r\n'))
        return true
      })
      const seen: Middleware = {
        onRequest(request, text) {
          expect(request).not.toHaveProperty('body')
          expect(request.method).toBe('POST')
          expect(request.url).toBe('/v1/messages?beta=true')
          expect(request.headers).toMatchObject({
            'x-api-key': 'k',
            host: expect.stringMatching(/^localhost:\d+$/),
          })
          expect(request.messagesRequestData).toEqual(data)
          expect(text).toBe(body)
          return request
        },
        onResponse(response) {
          expect(response.status).toBe(200)
          expect(response.headers).toMatchObject({ 'content-type': 'text/plain', 'x-two': '1, 2' })
          return response
        },
      }
      const middleware = [seen, witness('first', calls), witness('second', calls)]
      const proxy = await startedProxy(upstream.url, { middleware })
      const answer = await asked(
        proxy.port,
        post('/v1/messages?beta=true', body, 'X-Api-Key: k\r\n'),
        /fine$/,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(calls).toEqual([
        'first request',
        'second request',
        'sent',
        'first response 200',
        'second response 200',
      ])
    },
  )

  verifies(
    [
      '4.2/pipeline-parse-failure',
      '4.2/pipeline-keep-original-body',
      '7.2/other-body',
      '2.14/request-data-absent',
    ],
    'forwards a body that is no messages request as it is, with a debug note only',
    async () => {
      const bodies = [
        '{"model": "m", "messages": [], ',
        '[1]',
        'plain words',
        '{"model":"m"}',
        '{"model":"m","max_tokens":"7","messages":[]}',
        '{"model":"m","max_tokens":7,"messages":[{"role":"user"}]}',
        '\u00ff\u00fe binary',
      ]
      for (const each of bodies) {
        const upstream = await rawUpstream(always(plain('ok')))
        let shown: unknown = 'nothing yet'
        const look: Middleware = {
          onRequest(request) {
            shown = request.messagesRequestData
            return request
          },
        }
        const proxy = await startedProxy(upstream.url, { middleware: [look] })
        expect(await asked(proxy.port, post('/x', each), /ok$/)).toMatch(/^HTTP\/1\.1 200/)
        expect(shown).toBeUndefined()
        expect(upstream.seen().endsWith(`\r\n\r\n${each}`)).toBe(true)
        expect(proxy.log.entries.map(({ level }) => level)).not.toContain('error')
        expect(proxy.lines().join('\n')).toMatch(
          /debug \[LLM-PROXY\] the body of POST \/x is no messages request/,
        )
      }
    },
  )

  verifies(
    [
      '4.2/pipeline-request-middleware-changes',
      '4.2/pipeline-serialize-structured',
      'd14/proxy-changed-serialised',
      '4.2/pipeline-content-length',
      '4.2/demonstration-middleware',
      '2.14/request-data-fields-read',
    ],
    'sends changed data as a new body with a new length, unknown keys kept',
    async () => {
      const upstream = await rawUpstream(always(plain('ok')))
      const proxy = await startedProxy(upstream.url, { middleware: [doubleMaxTokens, doubleMaxTokens] })
      await asked(proxy.port, post('/v1/messages', body), /ok$/)
      const [head = '', sent = ''] = upstream.seen().split('\r\n\r\n')
      expect(JSON.parse(sent)).toEqual({ ...data, max_tokens: 28 })
      expect(head.match(/content-length: .*/gi)).toEqual([`content-length: ${sent.length}`])
      expect(sent.length).toBe(body.length + 1)
    },
  )

  verifies(
    ['4.2/pipeline-serialize-structured', 'd14/proxy-caller-bytes'],
    'sends data that no middleware changed as the very bytes of the caller, whatever reading them would lose',
    async () => {
      const upstream = await rawUpstream(always(plain('ok')))
      const read: unknown[] = []
      const reading: Middleware = {
        onRequest(request) {
          const { messagesRequestData } = request
          read.push(messagesRequestData)
          // A new request with the old data: a copy by itself would have none, since reading it is left to who asks.
          return { ...request, messagesRequestData }
        },
      }
      const proxy = await startedProxy(upstream.url, { middleware: [reading, witness('second', [])] })
      const odd = `{ "model":"m",\t"max_tokens" : 7,"messages":[{"role":"user","content":"\\u0061"}],"seed":9007199254740993,"twice":1,"twice":2}\n`
      await asked(proxy.port, post('/v1/messages', odd), /ok$/)
      expect(read).toMatchObject([{ model: 'm', twice: 2 }])
      expect(JSON.stringify(read[0])).not.toContain('9007199254740993')
      expect(upstream.seen().endsWith(`\r\ncontent-length: ${odd.length}\r\n\r\n${odd}`)).toBe(true)
    },
  )

  verifies(
    ['4.2/default-middleware', '4.2/no-middleware-registration', '4.2/demonstration-middleware'],
    'installs one middleware, the one that logs; nothing outside the source names another',
    async () => {
      const upstream = await rawUpstream(always(plain('ok')))
      const proxy = await startedProxy(upstream.url)
      await asked(proxy.port, post('/v1/messages', body), /ok$/)
      expect(upstream.seen().endsWith(body)).toBe(true)
      await proxy.close()
      expect(proxy.log.entries.filter(({ tag }) => tag === 'LOGGING-MIDDLEWARE')).toHaveLength(2)
      const source = new URL('../../src/', import.meta.url)
      const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(name =>
        name.endsWith('.ts'),
      )
      const naming = files.filter(name => /middleware/i.test(readFileSync(new URL(name, source), 'utf8')))
      expect(naming.filter(name => !name.startsWith('proxy/'))).toEqual([])
      const installing = files.filter(name =>
        readFileSync(new URL(name, source), 'utf8').includes('doubleMaxTokens'),
      )
      expect(installing).toEqual(['proxy/middleware/double-max-tokens.ts'])
    },
  )

  verifies(
    ['7.2/exception'],
    'answers 500 Proxy Error when a middleware throws or the upstream is not there, and serves on',
    async () => {
      const upstream = await rawUpstream(always(plain('ok')))
      const error =
        /^HTTP\/1\.1 500 Internal Server Error\r\nContent-Type: text\/plain\r\nContent-Length: 11\r\n\r\nProxy Error$/
      const throwing = (part: 'onRequest' | 'onResponse', late: boolean): Middleware => ({
        [part]: () => {
          if (late) return Promise.reject(new Error('no'))
          throw new Error('no')
        },
      })
      for (const part of ['onRequest', 'onResponse'] as const) {
        for (const late of [false, true]) {
          const proxy = await startedProxy(upstream.url, { middleware: [throwing(part, late)] })
          expect(await asked(proxy.port, get('/x'), /Error$/)).toMatch(error)
        }
      }
      const gone = await startedProxy('http://127.0.0.1:1')
      const client = rawClient(gone.port)
      client.send(get('/x'))
      expect(await client.until(text => text.endsWith('Error'))).toMatch(error)
      client.send(get('/health'))
      await client.until(text => text.endsWith('Weave Proxy OK'))
      expect(gone.lines().join('\n')).toMatch(/error \[LLM-PROXY\] GET \/x failed/)
    },
  )

  verifies(
    ['7.2/upstream-status-forwarded', '7.2/upstream-status-logged'],
    'forwards any other status with its body, and logs it as an error',
    async () => {
      for (const status of ['400 Bad Request', '429 Too Many', '529 Overloaded', '301 Moved', '201 Made']) {
        const answer = `HTTP/1.1 ${status}\r\nLocation: http://elsewhere/\r\nContent-Length: 4\r\n\r\nbody`
        const upstream = await rawUpstream(always(answer))
        const proxy = await startedProxy(upstream.url)
        expect(await asked(proxy.port, get('/x'), /body$/)).toBe(answer)
        const code = status.slice(0, 3)
        expect(proxy.lines()).toContain(`error [LLM-PROXY] the upstream answered ${code} to GET /x`)
      }
    },
  )

  verifies(
    ['4.2/stream-consumed-by-reader', '2.14/response-body'],
    'gives the caller what is left of a body that a middleware has read, or what it put in its place',
    async () => {
      const chunks = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n'
      const upstream = await rawUpstream(always(chunks))
      let read = ''
      const reader: Middleware = {
        async onResponse(response) {
          read = await textOf(response.body as Readable)
          return response
        },
      }
      const first = await startedProxy(upstream.url, { middleware: [reader] })
      expect(await asked(first.port, get('/x'), /0\r\n\r\n$/)).toMatch(/\r\n\r\n0\r\n\r\n$/)
      expect(read).toBe('onetwo')
      const replacing: Middleware = {
        onResponse: ({ headers }) => ({ status: 203, headers: { ...headers, 'x-new': '1' }, body: 'mine' }),
      }
      const second = await startedProxy(upstream.url, { middleware: [replacing] })
      const answer = await asked(second.port, get('/x'), /mine$/)
      expect(answer).toMatch(/^HTTP\/1\.1 203 .*\r\nx-new: 1\r\nContent-Length: 4\r\n\r\nmine$/s)
      const passing: Middleware = {
        onResponse: ({ status, headers, body: stream }) => ({
          status,
          headers,
          ...(stream && { body: stream }),
        }),
      }
      const third = await startedProxy(upstream.url, {
        middleware: [passing, { onResponse: async one => one }],
      })
      expect(await asked(third.port, get('/x'), /0\r\n\r\n$/)).toMatch(/one.*two.*\r\n0\r\n\r\n$/s)
    },
  )

  verifies(
    ['1/proxy-passthrough-only', '1/proxy-no-caching', '1/proxy-no-load-balancing'],
    'sends the same request upstream every time, all to one address',
    async () => {
      const upstream = await rawUpstream(
        always(plain('ok', 'Cache-Control: public, max-age=3600\r\nETag: "1"\r\n')),
      )
      const proxy = await startedProxy(upstream.url)
      const client = rawClient(proxy.port)
      for (let n = 1; n <= 5; n++) {
        client.send(get('/same'))
        await client.until(text => text.split('\r\n\r\nok').length > n)
      }
      expect(upstream.seen().split('GET /same HTTP/1.1').length).toBe(6)
      expect(upstream.connections()).toBe(1)
      await once(client.socket.end(), 'close')
    },
  )
})
