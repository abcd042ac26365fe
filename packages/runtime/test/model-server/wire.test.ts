import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { post, served, text } from './served.ts'

const good = { 'x-api-key': 'k', 'content-type': 'application/json' }

describe('questions that cost nothing', () => {
  test('are answered without asking the script', async () => {
    const server = await served(() => {
      throw new Error('must not be asked')
    })
    const count = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(40) }] }
    expect(await (await post(`${server.url}/v1/messages/count_tokens`, count)).json()).toEqual({
      input_tokens: 10,
    })
    const contents = [{ role: 'user', parts: [{ text: 'x'.repeat(80) }] }]
    const counted = await post(`${server.url}/v1beta/models/gemini:countTokens`, { contents })
    expect(await counted.json()).toEqual({ totalTokens: 20 })
    expect(await answerOf(`${server.url}/v1/models/a%2Fb`)).toMatchObject({
      id: 'a/b',
      object: 'model',
      type: 'model',
    })
    expect(await answerOf(`${server.url}/v1/models`)).toMatchObject({ data: [] })
    expect(await answerOf(`${server.url}/v1beta/models/gemini`)).toMatchObject({ name: 'models/gemini' })
    expect(await answerOf(`${server.url}/v1beta/models`)).toEqual({ models: [] })
    expect(await answerOf(`${server.url}/api/v1/key`)).toMatchObject({ data: { limit: null } })
    expect(await answerOf(`${server.url}/api/v1/models`)).toEqual({ data: [] })
    expect(server.requests.every(request => request.kind !== 'model')).toBe(true)
  })

  test('need a key, but for the one that asks whether someone is there', async () => {
    const server = await served(() => text('x'))
    const hello = await fetch(`${server.url}/api/hello`, { method: 'HEAD' })
    expect(hello.status).toBe(200)
    for (const path of ['/v1/models/x', '/v1beta/models/x', '/api/v1/key']) {
      expect((await fetch(server.url + path)).status).toBe(401)
    }
  })
})

test('refuses a request without a key in the words of each dialect', async () => {
  const server = await served(() => text('x'))
  const refusal = async (path: string) => {
    const answer = await fetch(server.url + path, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(401)
    return answer.json()
  }
  expect(await refusal('/v1/messages')).toMatchObject({
    type: 'error',
    error: { type: 'authentication_error' },
  })
  expect(await refusal('/v1/responses')).toMatchObject({ error: { code: 'invalid_api_key' } })
  expect(await refusal('/v1/chat/completions')).toMatchObject({ error: { code: 'invalid_api_key' } })
  expect(await refusal('/api/v1/chat/completions')).toMatchObject({ error: { code: 401 } })
  expect(await refusal('/v1beta/models/g:generateContent')).toMatchObject({
    error: { code: 401, status: 'UNAUTHENTICATED' },
  })
})

test('finds the key wherever a provider has it', async () => {
  const server = await served(request => text(request.key))
  const keyOf = async (url: string, headers: Readonly<Record<string, string>>) => {
    await fetch(url, { method: 'POST', headers, body: '{}' })
    return server.requests.at(-1)?.key
  }
  expect(await keyOf(`${server.url}/v1/messages`, { 'x-api-key': 'a#1' })).toBe('a#1')
  expect(await keyOf(`${server.url}/v1/messages`, { authorization: 'Bearer b#1' })).toBe('b#1')
  expect(await keyOf(`${server.url}/v1beta/models/g:generateContent`, { 'x-goog-api-key': 'c' })).toBe('c')
  expect(await keyOf(`${server.url}/v1beta/models/g:generateContent?key=d%231`, {})).toBe('d#1')
  expect(server.requests.some(request => request.path.includes('key='))).toBe(false)
})

test('says in JSON that there is nothing at an unknown address', async () => {
  const server = await served(() => text('x'))
  for (const path of [
    '/',
    '/v2/messages',
    '/v1/messages/batches',
    '/v1beta/nothing',
    '/api/v1/x',
    '//',
    '/%zz',
  ]) {
    const answer = await fetch(server.url + path, { headers: good })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toHaveProperty('error')
  }
  expect((await fetch(`${server.url}/v1/messages`, { headers: good })).status).toBe(404)
})

test('listens on the loopback address only', async () => {
  const server = await served(() => text('x'))
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
  await expect(fetch(`http://127.0.0.2:${server.port}/api/hello`)).rejects.toThrow('fetch failed')
})

test('tells the script of a request in the same words in every dialect', async () => {
  const server = await served(request => text(JSON.stringify(request)))
  const seen = {
    system: 'Be brief.',
    tools: ['look'],
    declarations: [{ name: 'look', fields: ['at'] }],
    turns: [
      { role: 'user', text: 'Look.', texts: ['Look.'], calls: [], results: [] },
      {
        role: 'assistant',
        text: 'I do.',
        texts: ['I do.'],
        calls: [{ id: 'c1', name: 'look', input: { at: 1 } }],
        results: [],
      },
      {
        role: 'user',
        text: '',
        texts: [],
        calls: [],
        results: [{ id: 'c1', text: 'a tree', isError: false }],
      },
    ],
  }
  const parameters = { type: 'object', properties: { at: { type: 'number' } } }
  const call = { name: 'look', arguments: '{"at":1}' }
  const said = async (path: string, body: unknown) => {
    const answer: unknown = await (await post(server.url + path, body)).json()
    return JSON.parse(JSON.parse(JSON.stringify(answer).match(textOfAnswer)?.[1] ?? '""')) as unknown
  }
  expect(
    await said('/v1/messages', {
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'look', input_schema: parameters }],
      messages: [
        { role: 'user', content: 'Look.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'I do.' },
            { type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a tree' }] },
      ],
    }),
  ).toMatchObject({ ...seen, dialect: 'anthropic' })
  expect(
    await said('/v1/chat/completions', {
      tools: [{ type: 'function', function: { name: 'look', parameters } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        { role: 'assistant', content: 'I do.', tool_calls: [{ id: 'c1', type: 'function', function: call }] },
        { role: 'tool', tool_call_id: 'c1', content: 'a tree' },
      ],
    }),
  ).toMatchObject({ ...seen, dialect: 'openai-chat' })
  expect(
    await said('/v1/responses', {
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'look', parameters }],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
        { type: 'reasoning', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I do.' }] },
        { type: 'function_call', call_id: 'c1', ...call },
        { type: 'function_call_output', call_id: 'c1', output: 'a tree' },
      ],
    }),
  ).toMatchObject({ ...seen, dialect: 'openai-responses' })
  expect(
    await said('/v1beta/models/g:generateContent', {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'look', parameters }] }],
      contents: [
        { role: 'user', parts: [{ text: 'Look.' }] },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { text: 'I do.' },
            { functionCall: { id: 'c1', name: 'look', args: { at: 1 } } },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'a tree' } } }],
        },
      ],
    }),
  ).toMatchObject({ ...seen, dialect: 'google', model: 'g' })
})

/** The text of a whole answer, still as a JSON string, under the name that the dialect has for it. */
const textOfAnswer = /"(?:text|content)":("\{(?:[^"\\]|\\.)*")/

test('ends a stream of each dialect with its own last words', async () => {
  const server = await served(() => ({ kind: 'message', parts: [], stop: 'max-tokens' }))
  const last = async (path: string) => {
    const heard = await (await post(server.url + path, { stream: true })).text()
    return heard.trimEnd().split('\n\n').at(-1)
  }
  expect(await last('/v1/messages')).toBe('event: message_stop\ndata: {"type":"message_stop"}')
  expect(await last('/v1/chat/completions')).toBe('data: [DONE]')
  expect(await last('/v1/responses')).toMatch(/^event: response\.incomplete\n.*"reason":"max_output_tokens"/)
  expect(await last('/v1beta/models/g:streamGenerateContent?alt=sse')).toContain(
    '"finishReason":"MAX_TOKENS"',
  )
})

describe('malformed input', () => {
  const paths = [
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/chat/completions',
    '/v1/responses',
    '/api/v1/chat/completions',
    '/v1beta/models/g:generateContent',
    '/v1beta/models/g:streamGenerateContent',
    '/v1beta/models/g:countTokens',
  ]
  const names = ['role', 'content', 'type', 'text', 'messages', 'tools', 'input', 'parts', 'name', 'stream']
  const words = ['user', 'assistant', 'tool', 'tool_use', 'tool_result', 'function_call', 'text', 'object']
  const anything = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom(...words),
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), { maxKeys: 5 }),
    ),
  })).value
  const body = fc.record({
    messages: anything,
    input: anything,
    contents: anything,
    system: anything,
    tools: anything,
    tool_choice: anything,
    generationConfig: anything,
    text: anything,
    stream: anything,
  })

  test('never gets more than a refusal or an answer, and the server goes on', async () => {
    const server = await served(() => ({ kind: 'message', parts: [{ kind: 'call', name: 'x', input: {} }] }))
    const sent = fc.oneof(
      fc.string(),
      anything.map(value => JSON.stringify(value)),
      body.map(value => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), sent, async (path, content) => {
        const answer = await post(server.url + path, content)
        await answer.text()
        expect([200, 400]).toContain(answer.status)
      }),
      { numRuns: Number(process.env['WEAVE_PROOF_FUZZ'] ?? 150) },
    )
    expect((await post(`${server.url}/v1/messages`, {})).status).toBe(200)
  }, 600_000)

  test('nested far too deep is refused or answered', async () => {
    const server = await served(() => text('x'))
    const deep = `{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}]}`
    expect([200, 400, 500]).toContain((await post(`${server.url}/v1/messages`, deep)).status)
    expect((await post(`${server.url}/v1/messages`, {})).status).toBe(200)
  })

  test('longer than 32 MiB is refused', async () => {
    const server = await served(() => text('x'))
    const long = `{"x":"${'x'.repeat(32 * 1024 * 1024)}"}`
    expect((await post(`${server.url}/v1/messages`, long)).status).toBe(413)
  })

  test('that is not even HTTP does no harm', async () => {
    const server = await served(() => text('x'))
    const socket = connect(server.port, '127.0.0.1')
    socket.end('\u0000\u0001 what?\r\n\r\n')
    socket.resume()
    await once(socket, 'close')
    expect((await post(`${server.url}/v1/messages`, {})).status).toBe(200)
  })
})

async function answerOf(url: string): Promise<unknown> {
  const answer = await fetch(url, { headers: good })
  expect(answer.status).toBe(200)
  return answer.json()
}
