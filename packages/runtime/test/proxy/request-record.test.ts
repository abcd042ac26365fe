import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { type RequestRecord, recordRequests } from '../../src/proxy/index.ts'
import { post, rawClient } from './raw-client.ts'
import { type Answer, always, isWhole, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const asked = JSON.stringify({
  model: 'm-1',
  max_tokens: 5,
  messages: [{ role: 'user', content: 'q' }],
  stream: true,
})
const events =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"1","usage":{"input_tokens":11,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":1}}}\n\n' +
  `${'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"the word \\"usage\\": {}"}}\n\n'.repeat(20)}` +
  'event: message_delta\ndata: {"type":"message_delta","delta":{},"usage":{"output_tokens":42}}\n\n' +
  'event: message_stop\ndata: {"type":"message_stop"}\n\n'
const tokens = { inputTokens: 11, outputTokens: 42, cacheCreationTokens: 2, cacheReadTokens: 3 }

/** What was written down about one exchange. */
async function recorded(
  answer: Answer,
  request = post('/v1/messages?key=abc', asked),
): Promise<RequestRecord> {
  const upstream = await rawUpstream(answer)
  const clock = createTestClock('2026-01-02T03:04:05.000Z')
  return new Promise(resolve => {
    void startedProxy(upstream.url, { observe: recordRequests({ clock, onRecord: resolve }) }).then(proxy => {
      const client = rawClient(proxy.port)
      client.send(request)
    })
  })
}

function chunked(headers: string, body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`)]
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size)
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

describe('the record of a request', () => {
  it('says when, whom, how it ended and what it was charged for, and nothing of what was said', async () => {
    const headers = 'Content-Type: text/event-stream; charset=utf-8\r\nrequest-id: req_9\r\n'
    const record = await recorded(always(chunked(headers, Buffer.from(events), 7)))
    expect(record).toEqual({
      time: '2026-01-02T03:04:05.000Z',
      method: 'POST',
      url: '/v1/messages?key=[masked]',
      model: 'm-1',
      stream: true,
      status: 200,
      firstByteMs: 0,
      durationMs: 0,
      requestBytes: asked.length,
      responseBytes: events.length,
      requestId: 'req_9',
      tokens,
      ending: 'complete',
    })
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('reads usage out of %s', async (coding, pack) => {
    const headers = `Content-Type: text/event-stream\r\nContent-Encoding: ${coding}\r\n`
    const record = await recorded(always(chunked(headers, pack(Buffer.from(events)), 11)))
    expect(record.tokens).toEqual(tokens)
  })

  it('reads usage out of an answer in one piece, and goes without where there is none', async () => {
    const json = JSON.stringify({ id: '1', usage: { input_tokens: 5, output_tokens: 6 } })
    const whole = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`
    expect((await recorded(always(whole))).tokens).toMatchObject({ inputTokens: 5, outputTokens: 6 })
    expect(await recorded(always(whole), post('/v1/other', '{}'))).not.toHaveProperty('tokens')
    const broken = chunked(
      'Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n',
      Buffer.from('no gzip'),
      3,
    )
    expect(await recorded(always(broken))).not.toHaveProperty('tokens')
  })

  it('says how it failed', async () => {
    const half: Answer = (text, socket) => {
      if (isWhole(text))
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', () => socket.destroy())
      return true
    }
    expect(await recorded(half)).toMatchObject({ status: 200, ending: 'upstream-failed', responseBytes: 4 })
    const silent: Answer = (text, socket) => {
      if (isWhole(text)) socket.destroy()
      return true
    }
    expect(await recorded(silent)).toMatchObject({ ending: 'upstream-failed', responseBytes: 0 })
    const limit = 'HTTP/1.1 429 Too Many\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n'
    expect(await recorded(always(limit))).toMatchObject({
      status: 429,
      retryAfterMs: 90_000,
      ending: 'complete',
    })
  })

  it('says that the caller left', async () => {
    const upstream = await rawUpstream(text => isWhole(text))
    const clock = createTestClock()
    let client: ReturnType<typeof rawClient> | undefined
    const record = new Promise<RequestRecord>(resolve => {
      const observe = recordRequests({ clock, onRecord: resolve })
      void startedProxy(upstream.url, { observe }).then(async proxy => {
        client = rawClient(proxy.port)
        client.send(post('/x', asked))
        while (!upstream.seen().endsWith(asked)) await new Promise(go => setTimeout(go, 2))
        client.socket.destroy()
      })
    })
    expect(await record).toMatchObject({ ending: 'caller-left' })
  })

  it('costs nothing where nobody looks, and an observer that wants nothing is told nothing', async () => {
    const upstream = await rawUpstream(always(plain('ok')))
    const asks: string[] = []
    const proxy = await startedProxy(upstream.url, {
      observe(request, { messagesRequestData: data }) {
        asks.push(`${request.method} ${request.target} ${data?.model ?? 'none'}`)
        return undefined
      },
    })
    const client = rawClient(proxy.port)
    client.send(post('/x', asked))
    await client.until(text => text.endsWith('ok'))
    expect(asks).toEqual(['POST /x m-1'])
  })
})

describe('something in place of the upstream', () => {
  it('answers as the upstream would', async () => {
    const proxy = await startedProxy('http://127.0.0.1:1', {
      transport: {
        send({ method, target, body }, handler) {
          const bytes = Buffer.from(`${method} ${target} ${Buffer.isBuffer(body) ? body.length : 'none'}`)
          const headers = [{ name: 'Content-Length', key: 'content-length', value: String(bytes.length) }]
          setImmediate(() => {
            handler.head({ status: 200, reason: 'OK', headers })
            handler.data(bytes)
            handler.end()
          })
          return { pause: () => undefined, resume: () => undefined, abort: () => undefined }
        },
        close: () => undefined,
      },
    })
    const client = rawClient(proxy.port)
    client.send(post('/x', 'abc'))
    expect(await client.until(text => text.includes('POST /x 3'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })
})
