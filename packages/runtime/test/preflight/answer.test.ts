import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { at, check, codon, outcomes, printed, secret } from './fixture.ts'
import { closedPort, content, type Responder, says, startProvider } from './provider-server.ts'

describe('an answer', () => {
  const test = async (respond: Responder, name = 'gpt-6') => {
    const server = await startProvider(respond)
    const result = await check([codon(name)], { environment: at(server.origin) })
    const [line = ''] = printed(result)
    return { outcome: Object.values(outcomes(result))[0], line, server }
  }

  verifies(['d8a/failure-auth'], 'that refuses the key failed as auth', async () => {
    for (const status of [401, 403]) {
      const { outcome, line, server } = await test(says(status, { error: { message: 'who are you?' } }))
      expect(outcome).toBe('auth')
      expect(line).toContain(
        `(auth): ${server.host} (from OPENAI_BASE_URL) refused the key in OPENAI_API_KEY (status ${status}: "who are you?"). ` +
          'Check the key in OPENAI_API_KEY: that it is whole, has not expired and may use this model.',
      )
    }
    const google = { error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }
    expect((await test(says(400, google), 'gemini-4')).outcome).toBe('auth')
    const xai = { code: 'invalid', error: 'Incorrect API key provided: na***ys.' }
    expect((await test(says(400, xai))).outcome).toBe('auth')
  })

  verifies(['d8a/failure-model'], 'that does not know the model failed as model', async () => {
    const missing = { type: 'error', error: { type: 'not_found_error', message: 'model: claude-opus-5-5' } }
    const { outcome, line } = await test(says(404, missing), 'opus')
    expect(outcome).toBe('model')
    expect(line).toContain('(status 404: "model: claude-opus-5-5"). Choose a model that is served there')
    expect((await test(says(404, 'no JSON'))).outcome).toBe('model')
    expect((await test(says(400, { error: { message: 'model not supported' } }))).outcome).toBe('model')
    expect((await test(says(404, {}), 'openrouter/some/model')).outcome).toBe('unknown')
  })

  verifies(
    ['d8a/failure-unknown'],
    'of any other kind failed as unknown, which may be temporary',
    async () => {
      for (const status of [400, 402, 409, 429, 500, 503, 529]) {
        const { outcome, line } = await test(says(status, { message: 'later' }))
        expect(outcome, String(status)).toBe('unknown')
        expect(line).toContain(
          `gave no usable answer (status ${status}: "later"). This may be temporary: try again in a minute, ` +
            'and check the address in OPENAI_BASE_URL. --skip-self-test starts without asking.',
        )
      }
    },
  )

  it('that says no is asked for once, one that may pass a few times more', async () => {
    for (const status of [400, 401, 403, 404]) {
      const { server } = await test(says(status, {}))
      expect([status, server.received.length]).toEqual([status, 1])
    }
    for (const status of [408, 429, 500, 502, 503, 504, 529]) {
      const { server } = await test(says(status, {}))
      expect([status, server.received.length]).toEqual([status, 4])
    }
  })

  it.each([429, 500, 529])('that is good after a %i is good', async status => {
    let times = 0
    const { outcome, line, server } = await test((received, response) =>
      (++times < 4 ? says(status, { message: 'later' }) : content)(received, response),
    )
    expect([outcome, line, server.received.length]).toEqual(['ok', '', 4])
  })

  it.each([
    '<html>Welcome to the hotel</html>',
    '',
    '[]',
    'null',
    '{"object":"model"}',
    `{"id":"${'x'.repeat(70_000)}"}`,
  ])('with status 200 that is not what the provider says failed as unknown', async body => {
    const { outcome, line } = await test(says(200, body))
    expect(outcome).toBe('unknown')
    expect(line).toContain('answered, but not as openai does.')
    expect(line.length).toBeLessThan(500)
  })

  it('without an end is read only so far', async () => {
    for (const status of [200, 404]) {
      let written = 0
      const { outcome, line } = await test((_received, response) => {
        response.writeHead(status)
        const more = () => {
          for (let at = 0; at < 16 && !response.destroyed; at++) response.write('x'.repeat(16_384))
          written += 16
          if (!response.destroyed) setImmediate(more)
        }
        more()
      })
      expect(outcome).toBe(status === 200 ? 'unknown' : 'model')
      expect(line.length).toBeLessThan(500)
      expect(written).toBeLessThan(10_000)
    }
  })

  it('that is a redirect is not followed', async () => {
    const elsewhere = await startProvider(content)
    for (const status of [301, 302, 303, 307, 308]) {
      const { outcome, line } = await test(
        says(status, '', { location: `${elsewhere.origin}/v1/models/gpt-6` }),
      )
      expect(outcome).toBe('unknown')
      expect(line).toContain('answered with a redirect, and a key does not follow one.')
    }
    expect(elsewhere.received).toEqual([])
  })

  it('that does not come because nobody listens, or the line is cut, failed as network', async () => {
    const host = await closedPort()
    const closed = await check([codon('opus')], { environment: at(`http://${host}`) })
    expect(printed(closed)[0]).toContain(
      `(network): ${host} (from ANTHROPIC_BASE_URL) could not be reached: the connection was refused (ECONNREFUSED).`,
    )
    const cut = await test((_received, response) => void response.socket?.destroy())
    expect([cut.outcome, cut.line]).toEqual(['network', expect.stringContaining('the connection was cut')])
    const cutLater = await test((_received, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id"')
      setImmediate(() => response.socket?.destroy())
    })
    expect(cutLater.outcome).toBe('network')
    const refusedAndCut = await test((_received, response) => {
      response.writeHead(401, { 'content-length': '100' }).write('{"error"')
      setImmediate(() => response.socket?.destroy())
    })
    expect(refusedAndCut.outcome).toBe('auth')
    const nowhere = await check([codon('opus')], { environment: at('http://weave-test.invalid') })
    expect(Object.values(outcomes(nowhere))).toEqual(['network'])
  })

  it('over TLS that is none failed as network', async () => {
    const server = await startProvider(content)
    const environment = at(server.origin.replace('http:', 'https:'))
    const result = await check([codon('opus')], { environment })
    expect(printed(result)[0]).toContain('no safe connection (TLS) came about')
  })
})

describe('a key that the server sends back', () => {
  const shown = async (message: string, key = secret) => {
    const server = await startProvider(says(401, { error: { message } }))
    const environment = at(server.origin, { OPENAI_API_KEY: key })
    const result = await check([codon('gpt-6')], { environment })
    return { line: printed(result)[0] ?? '', everything: JSON.stringify(result) }
  }

  it('is redacted', async () => {
    const { line, everything } = await shown(`the key ${secret} is wrong`)
    expect(line).toContain('"the key [redacted:OPENAI_API_KEY] is wrong"')
    expect(everything).not.toContain(secret)
  })

  it.each([
    ['in part', `the key ${secret.slice(0, 12)}… is wrong`],
    ['in pieces', `${secret.slice(0, 10)} ${secret.slice(10)}`],
    ['at the end of a long text', `${'x'.repeat(195)} ${secret}`],
    ['with invisible letters', `wrong: ${secret.slice(0, 10)}\u200b${secret.slice(10)}`],
    ['with escapes', `wrong: ${secret.slice(0, 10)}\u0000${secret.slice(10)}`],
  ])('%s is not shown either', async (_name, message) => {
    const { everything } = await shown(message)
    for (let start = 0; start + 8 <= secret.length; start++) {
      expect(everything).not.toContain(secret.slice(start, start + 8))
    }
  })

  it('that is too short for redaction takes the whole quotation with it', async () => {
    const { line } = await shown('the key kQ7 is wrong', 'kQ7')
    expect(line).toContain('refused the key in OPENAI_API_KEY (status 401).')
  })

  it('is one line of at most 200 letters, whatever the server says', async () => {
    const { line } = await shown(`a\n\tb\u001b[31m\u202ec ${'y'.repeat(5_000)}`)
    expect(line).toContain('"a b[31mc yyy')
    expect(line.length).toBeLessThan(600)
  })
})
