import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createFileLog, createRedactor, type LogLevel, systemClock } from '../../src/kit/index.ts'
import { maskedUrl } from '../../src/proxy/request-head.ts'
import { post, rawClient } from './raw-client.ts'
import { always, plain, rawUpstream } from './raw-upstream.ts'
import { startedProxy } from './started-proxy.ts'

const key = 'sk-ant-secret-0123456789abcdef'

/** What stands in the log after one request. */
async function logged(request: string, level: LogLevel = 'info', answer = plain('ok')): Promise<string> {
  const path = join(await tempDir(), 'server.log')
  const redact = createRedactor([{ name: 'MY_API_KEY', value: key }]).text
  const log = createFileLog({ path, level, redact, maxBytes: 1 << 24, clock: systemClock })
  const upstream = await rawUpstream(always(answer))
  const proxy = await startedProxy(upstream.url, { log, logLevel: level, redact })
  const client = rawClient(proxy.port)
  client.send(request)
  await client.until(text => /\r\n\r\n./s.test(text))
  client.socket.destroy()
  await proxy.close()
  log.close()
  return readFileSync(path, 'utf8')
}

const request = (content: unknown) =>
  JSON.stringify({
    model: 'm-1',
    max_tokens: 7,
    stream: true,
    messages: [
      { role: 'user', content: 'hidden first' },
      { role: 'assistant', content: 'hidden second' },
      { role: 'user', content },
    ],
    system: 'hidden system',
  })

describe('the log', () => {
  verifies(
    [
      '4.2/log-method-and-url',
      '4.2/log-messages-request',
      '4.2/log-response-status',
      '4.2/log-tags',
      'd12/proxy-log-fields',
      'd12/proxy-log-messages',
      '2.14/request-data-fields-read',
    ],
    'says of a messages request who, how much and how it begins, and the status of the answer',
    async () => {
      const text = await logged(
        post('/v1/messages?beta=true', request(`${'w'.repeat(199)}EX${'y'.repeat(300)}`)),
      )
      const line = `[LOGGING-MIDDLEWARE] POST /v1/messages?beta=true model m-1 max_tokens 7 stream true messages 3 (2 user, 1 assistant) last "${'w'.repeat(199)}E"\n`
      expect(text).toContain(line)
      expect(text).toContain('INFO [LOGGING-MIDDLEWARE] 200 for POST /v1/messages?beta=true\n')
      expect(text).toMatch(/INFO \[LLM-PROXY\] listening at http:\/\/localhost:\d+, passing through to http/)
      expect(text).toMatch(/INFO \[PROXY-HTTP-TRANSPORT\] connected to 127\.0\.0\.1:\d+/)
      expect(text).not.toContain('hidden')
      const blocks = await logged(
        post(
          '/x',
          request([
            { type: 'image', source: {} },
            { type: 'text', text: 'seen' },
          ]),
        ),
      )
      expect(blocks).toContain('last "[image] seen"')
    },
  )

  verifies(
    ['4.2/log-other-body', '8/body-logging'],
    'holds any other body up to 500 characters',
    async () => {
      const text = await logged(post('/x', `${'b'.repeat(499)}EX${'c'.repeat(9_000)}`))
      expect(text).toContain(`POST /x body "${'b'.repeat(499)}E"\n`)
    },
  )

  verifies(['d12/proxy-log-full-bodies'], 'holds whole bodies only at level debug', async () => {
    const body = request('x'.repeat(3_000))
    expect(await logged(post('/x', body), 'debug')).toContain(JSON.stringify(body))
    for (const level of ['info'] as const)
      expect(await logged(post('/x', body), level)).not.toContain('x'.repeat(201))
  })

  verifies(
    ['d12/secret-log'],
    'never holds a key, wherever it stands: in a header, in the query, in a message, at the cut',
    async () => {
      const error = 'HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno'
      for (const level of ['info', 'debug'] as const) {
        const headers = `X-Api-Key: ${key}\r\nAuthorization: Bearer ${key}\r\n`
        const query = `/x?api_key=${key}&a=1&access_token=zzzzzzzzzz&sig=yyyyyyyyyy`
        const text = [
          await logged(post(query, request(`${'w'.repeat(178)}${key}`), headers), level, error),
          await logged(post('/y', `${'b'.repeat(478)}${key}`, headers), level),
          await logged(post('/z', request(key)), level),
        ].join('')
        expect(text).not.toContain(key)
        expect(text).not.toMatch(/sk-ant-secret|zzzzzzzzzz|yyyyyyyyyy/)
        expect(text).toContain('POST /x?api_key=[masked]&a=1&access_token=[masked]&sig=[masked]')
        expect(text).toContain('ERROR [LLM-PROXY] the upstream answered 401 to POST /x?api_key=[masked]')
      }
    },
  )
})

test('a query made of many names of keys takes no time to mask', () => {
  const started = performance.now()
  for (const piece of ['?key', 'key', '&key', '?', 'key=']) maskedUrl(`/x?${piece.repeat(16_000)}`)
  expect(performance.now() - started).toBeLessThan(1_000)
  expect(maskedUrl('/x?a=1&my_key=abc?def;token=t=t&b')).toBe('/x?a=1&my_key=[masked];token=[masked]&b')
})
