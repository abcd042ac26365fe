import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { type Completion, complete, type StructuredOutput } from '../../src/llm/index.ts'
import type { ModelRequest } from '../../src/model-server/index.ts'
import { dialects, modelServer, requestTo, say } from './models.ts'

const tokens = { inputTokens: 40, outputTokens: 7, cacheReadTokens: 5, cacheCreationTokens: 0 }
const anyOf = dialects[0]

describe.each(dialects)('$provider', dialect => {
  test('answers in text, and every token is counted in its class', async () => {
    const seen: ModelRequest[] = []
    const server = await modelServer(request => {
      seen.push(request)
      return say('Very well.')
    })
    const messages = [
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Two?' },
    ] as const
    const answer = await complete(
      requestTo(dialect, server, { system: 'Be kind.', messages, temperature: 0 }),
    )
    expect(answer).toEqual({ ok: true, text: 'Very well.', tokens })
    expect(seen).toMatchObject([
      {
        key: 'a-key-of-some-length',
        model: dialect.modelId,
        system: 'Be kind.',
        turns: messages.map(({ role, content }) => ({ role, text: content })),
      },
    ])
  })

  const shapes: readonly {
    readonly output: StructuredOutput
    readonly says: unknown
    readonly value: unknown
  }[] = [
    {
      output: {
        kind: 'object',
        name: 'finding',
        schema: {
          type: 'object',
          properties: { a: { type: 'number' } },
          required: ['a'],
          additionalProperties: false,
        },
        check: async () => ({ ok: true }),
      },
      says: { a: 1 },
      value: { a: 1 },
    },
    {
      output: {
        kind: 'array',
        schema: { $ref: '#/$defs/word', $defs: { word: { type: 'string' } } },
        check: async () => ({ ok: true }),
      },
      says: { elements: ['x', 'y'] },
      value: ['x', 'y'],
    },
    { output: { kind: 'enum', values: ['good', 'bad'] }, says: { result: 'bad' }, value: 'bad' },
  ]

  test('answers in a shape: an object, a list, a word', async () => {
    for (const { output, says, value } of shapes) {
      let schema: unknown
      const server = await modelServer(request => {
        schema = request.schema
        return say(JSON.stringify(says))
      })
      const answer = await complete(requestTo(dialect, server, { output }))
      expect(answer).toMatchObject({ ok: true, value, tokens })
      expect(schema).toMatchObject({ type: 'object' })
    }
  })

  test('that answers in another shape is refused, and paid for', async () => {
    const check = async () => ({ ok: false, message: 'a is missing' }) as const
    const output = { kind: 'object', schema: { type: 'object', properties: {} }, check } as const
    const wrong = 'The answer does not have the shape that was asked for: '
    const server = await modelServer(({ index }) => say(index === 0 ? 'no JSON at all' : '{"b":1}'))
    expect(await complete(requestTo(dialect, server, { output }))).toEqual({
      ok: false,
      retriable: true,
      message: `${wrong}it is not JSON`,
      tokens,
    })
    expect(await complete(requestTo(dialect, server, { output }))).toEqual({
      ok: false,
      retriable: true,
      message: `${wrong}a is missing`,
      tokens,
    })
    const word = { kind: 'enum', values: ['x'] } as const
    expect(await complete(requestTo(dialect, server, { output: word }))).toMatchObject({
      message: `${wrong}it is none of x`,
      tokens,
    })
  })

  test('that refuses says why, and whether to try again', async () => {
    const statuses = [401, 404, 400, 429, 500]
    const server = await modelServer(({ index }) => ({
      kind: 'error',
      status: statuses[index] ?? 500,
      message: `no, because of ${statuses[index]}`,
      ...(statuses[index] === 429 && { retryAfter: 7 }),
    }))
    const answers: Completion[] = []
    for (const _ of statuses) answers.push(await complete(requestTo(dialect, server)))
    expect(answers).toMatchObject(
      statuses.map(status => ({
        ok: false,
        status,
        retriable: status === 429 || status === 500,
        message: expect.stringContaining(`no, because of ${status}`),
        ...(status === 429 && { retryAfterMs: 7_000 }),
      })),
    )
  })

  test('that cuts the connection or cannot be reached is worth another try', async () => {
    const server = await modelServer(() => ({ kind: 'drop' }))
    expect(await complete(requestTo(dialect, server))).toMatchObject({ ok: false, retriable: true })
    const nobody = { url: 'http://127.0.0.1:9' }
    expect(await complete(requestTo(dialect, nobody))).toMatchObject({
      ok: false,
      retriable: true,
      message: expect.stringContaining('could not be reached'),
    })
  })

  test('that does not answer is left when the call is stopped', async () => {
    const server = await modelServer(() => ({ kind: 'hang', seconds: 60 }))
    const stop = new AbortController()
    const answer = complete(requestTo(dialect, server, { signal: stop.signal }))
    await server.until(() => true)
    stop.abort()
    expect(await answer).toEqual({ ok: false, retriable: false, message: 'The call was stopped.' })
    await server.until(({ aborted }) => aborted)
  })
})

describe('a call', () => {
  verifies(['d10/llm-max-retries'], 'is tried again as often as it may be, and not more', async () => {
    const server = await modelServer(({ index }) =>
      index === 2 ? say('at last') : { kind: 'error', status: 500, retryAfter: 0.01 },
    )
    expect(await complete(requestTo(anyOf, server, { maxRetries: 1 }))).toMatchObject({
      ok: false,
      status: 500,
    })
    expect(server.requests).toHaveLength(2)
    expect(await complete(requestTo(anyOf, server, { maxRetries: 2 }))).toMatchObject({
      ok: true,
      text: 'at last',
    })
  })

  test('that is answered with nothing failed, and is paid for', async () => {
    const server = await modelServer(() => say(''))
    expect(await complete(requestTo(anyOf, server))).toEqual({
      ok: false,
      retriable: true,
      message: 'The model answered nothing.',
      tokens,
    })
  })

  test('follows no redirect: the key would travel along', async () => {
    const visited: string[] = []
    const lure = createServer((request, response) => {
      visited.push(request.url ?? '')
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    await new Promise<void>(resolve => lure.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void lure.close())
    const address = lure.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    expect(await complete(requestTo(anyOf, { url }))).toMatchObject({ ok: false })
    expect(visited).toEqual(['/v1/messages'])
  })

  test('does not repeat the key that a provider quotes', async () => {
    const server = await modelServer(({ key }) => ({ kind: 'error', status: 401, message: `bad key ${key}` }))
    expect(await complete(requestTo(anyOf, server))).toMatchObject({ message: 'Status 401: bad key [key]' })
  })

  test('never rejects, whatever it is given', async () => {
    const server = await modelServer(() => say('ok'))
    const odd = [
      { api: 'no address' },
      { key: 'line\nbreak' },
      { modelId: '' },
      { messages: [] },
      { maxOutputTokens: -1 },
      { temperature: Number.NaN },
    ]
    for (const more of odd) expect(await complete(requestTo(anyOf, server, more))).toHaveProperty('ok')
  })

  test('asks OpenAI to enforce a schema only if it keeps the rules for that', async () => {
    const strictness: unknown[] = []
    const server = await modelServer(({ body }) => {
      strictness.push(JSON.stringify(body).includes('"strict":true'))
      return say('{"a":"x"}')
    })
    const openai = dialects[1]
    const check = async () => ({ ok: true }) as const
    const closed = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    }
    for (const schema of [closed, { ...closed, required: [] }, { ...closed, additionalProperties: true }])
      await complete(requestTo(openai, server, { output: { kind: 'object', schema, check } }))
    expect(strictness).toEqual([true, false, false])
  })
})
