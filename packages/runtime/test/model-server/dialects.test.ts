import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type Client, clients } from './dialects.ts'
import { post, rehearsed, served, text } from './served.ts'

const usage = { input: 10, output: 7, cacheRead: 300, cacheWrite: 20 }

describe.each(clients)('a real client of $dialect', client => {
  test('gets text, thinking and the exact usage in one piece', async () => {
    const server = await served(() => ({
      kind: 'message',
      parts: [
        { kind: 'thinking', text: 'Let me see. 🙂' },
        { kind: 'text', text: 'Hello, world. 🙂' },
      ],
      usage,
    }))
    const result = await generateText({ model: client.model(server.url, 'k'), prompt: 'Hi.' })
    expect(result.text).toBe('Hello, world. 🙂')
    expect(result.finishReason).toBe('stop')
    if (client.thinks) expect(result.reasoningText).toBe('Let me see. 🙂')
    expectUsage(client, result.usage)
    expect(server.requests).toMatchObject([{ kind: 'model', dialect: client.dialect, key: 'k', status: 200 }])
  })

  test('gets the same as a stream', async () => {
    const words = 'A longer answer, cut into several pieces on its way: 🙂🙃🙂🙃🙂🙃🙂🙃🙂🙃.'
    const server = await served(() => ({
      kind: 'message',
      parts: [
        { kind: 'thinking', text: 'Let me see, at some length, what there is.' },
        { kind: 'text', text: words },
      ],
      usage,
    }))
    const result = streamText({ model: client.model(server.url, 'k'), prompt: 'Hi.' })
    const pieces: string[] = []
    for await (const piece of result.textStream) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(words)
    if (client.thinks) expect(await result.reasoningText).toBe('Let me see, at some length, what there is.')
    expect(await result.finishReason).toBe('stop')
    expectUsage(client, await result.usage)
  })

  test('runs a tool with the input that the script gives, then hears the end', async () => {
    const dir = await tempDir()
    const content = `${'line of the file\n'.repeat(40)}the end 🙂`
    const server = await served(request =>
      request.index === 0
        ? { kind: 'message', parts: [{ kind: 'use', use: 'write', input: { path: 'a.md', content } }] }
        : text(`told: ${request.turns.at(-1)?.results[0]?.text}`),
    )
    const write = tool({
      inputSchema: jsonSchema<{ path: string; content: string }>({
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
      }),
      execute: async input => {
        await writeFile(join(dir, input.path), input.content)
        return 'written'
      },
    })
    const ask = { model: client.model(server.url, 'k'), prompt: 'Write.', tools: { write } }
    const whole = await generateText({ ...ask, stopWhen: stepCountIs(3) })
    expect(await readFile(join(dir, 'a.md'), 'utf8')).toBe(content)
    expect(whole.steps[0]?.finishReason).toBe('tool-calls')
    expect(whole.text).toMatch(/^told: .*written/)
    await writeFile(join(dir, 'a.md'), '')
    const second = await served(request =>
      request.index === 0
        ? { kind: 'message', parts: [{ kind: 'use', use: 'write', input: { path: 'a.md', content } }] }
        : text('done'),
    )
    const streamed = streamText({
      ...ask,
      model: client.model(second.url, 'k'),
      stopWhen: stepCountIs(3),
    })
    expect(await streamed.text).toBe('done')
    expect(await readFile(join(dir, 'a.md'), 'utf8')).toBe(content)
  })

  test('gets several calls of one answer, each with its own input', async () => {
    const server = await served(() => ({
      kind: 'message',
      parts: [
        { kind: 'text', text: 'Both at once.' },
        { kind: 'call', name: 'look', input: { at: 1 } },
        { kind: 'call', name: 'look', input: { at: 2 } },
      ],
    }))
    const look = tool({
      inputSchema: jsonSchema<{ at: number }>({ type: 'object', properties: { at: { type: 'number' } } }),
      execute: () => 'seen',
    })
    const ask = { model: client.model(server.url, 'k'), prompt: 'Look.', tools: { look } }
    const whole = await generateText(ask)
    expect(whole.toolCalls.map(call => call.input)).toEqual([{ at: 1 }, { at: 2 }])
    const streamed = await streamText(ask).toolCalls
    expect(streamed.map(call => call.input)).toEqual([{ at: 1 }, { at: 2 }])
    expect(new Set(streamed.map(call => call.toolCallId)).size).toBe(2)
  })

  test('gets structured output from a text that is JSON', async () => {
    const server = await served(() => text('{"mood":"good","points":[1,2]}'))
    const result = await generateText({
      model: client.model(server.url, 'k'),
      prompt: 'How is it?',
      output: Output.object({ schema: jsonSchema<{ mood: string; points: number[] }>(moodSchema) }),
    })
    expect(result.output).toEqual({ mood: 'good', points: [1, 2] })
  })

  test('hears a rate limit with its retry-after', async () => {
    const server = await served(() => ({ kind: 'error', status: 429, message: 'Slow down.', retryAfter: 2 }))
    const error = await failureOf(client, server.url)
    expect(error).toMatchObject({ statusCode: 429, isRetryable: true, message: 'Slow down.' })
    expect(error.responseHeaders?.['retry-after']).toBe('2')
  })

  test('hears in the words of its provider that the context is full', async () => {
    const { isContextOverflow } = await import('@earendil-works/pi-ai')
    const server = await served(() => ({ kind: 'overflow' }))
    const error = await failureOf(client, server.url)
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false })
    const message = { stopReason: 'error', errorMessage: error.message }
    expect(isContextOverflow(message as Parameters<typeof isContextOverflow>[0])).toBe(true)
  })

  test('is told its reasons to stop', async () => {
    const parts = [{ kind: 'text', text: 'And then' }] as const
    const server = await served(request => ({
      kind: 'message',
      parts,
      stop: request.stream ? 'refusal' : 'max-tokens',
    }))
    const ask = { model: client.model(server.url, 'k'), prompt: 'Hi.' }
    expect((await generateText(ask)).finishReason).toBe('length')
    expect(await streamText(ask).finishReason).toBe('content-filter')
  })

  test('gets figures that follow from the length of the texts when the script gives none', async () => {
    const server = await served(() => text('x'.repeat(41)))
    const ask = { model: client.model(server.url, 'k'), system: 'y'.repeat(20), prompt: 'z'.repeat(60) }
    const { usage: seen } = await generateText(ask)
    expect(seen).toMatchObject({ inputTokens: 20, outputTokens: 11 })
    expect((await generateText(ask)).usage).toEqual(seen)
  })
})

test('answers a client that forces a tool to get JSON through that tool', async () => {
  const server = await served(request =>
    text(JSON.stringify({ mood: request.forcedTool, points: request.schema === undefined ? [] : [1] })),
  )
  const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'k' })('claude-sonnet-4-5')
  const ask = {
    model,
    prompt: 'How is it?',
    output: Output.object({ schema: jsonSchema<{ mood: string; points: number[] }>(moodSchema) }),
    providerOptions: { anthropic: { structuredOutputMode: 'jsonTool' } },
  }
  expect((await generateText(ask)).output).toEqual({ mood: 'json', points: [1] })
  expect(await streamText(ask).output).toEqual({ mood: 'json', points: [1] })
  const raw = { tools: [{ name: 'json', input_schema: {} }], tool_choice: { type: 'tool', name: 'json' } }
  const answer: unknown = await (await post(`${server.url}/v1/messages`, raw)).json()
  expect(answer).toMatchObject({ content: [{ type: 'tool_use', name: 'json', input: { mood: 'json' } }] })
})

verifies(
  ['d13/key-codon', 'd13/one-step-per-request', 'd13/step-say'],
  'finds the steps of a codon by its key in every dialect',
  async () => {
    const { server, rehearsal } = await rehearsed({
      codons: {
        'draft#1': [{ say: 'one' }, { say: 'two' }, { say: 'three' }, { say: 'four' }, { say: 'five' }],
        other: [{ say: 'not this' }],
      },
    })
    const heard: string[] = []
    for (const client of clients) {
      const model = client.model(server.url, rehearsal.keyFor('draft#1'))
      heard.push((await generateText({ model, prompt: 'Hi.', tools: { write: idle } })).text)
    }
    expect(heard).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect(new Set(server.requests.map(request => request.key))).toEqual(new Set(['rehearsal-draft#1']))
  },
)

const idle = tool({
  inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
  execute: () => 'done',
})

const moodSchema = {
  type: 'object',
  properties: { mood: { type: 'string' }, points: { type: 'array', items: { type: 'number' } } },
  required: ['mood', 'points'],
  additionalProperties: false,
} as const

async function failureOf(client: Client, url: string): Promise<APICallError> {
  const model = client.model(url, 'k')
  const error: unknown = await generateText({ model, prompt: 'Hi.', maxRetries: 0 }).catch(
    (reason: unknown) => reason,
  )
  if (!APICallError.isInstance(error))
    throw new Error('the call did not fail as an API call', { cause: error })
  return error
}

/** Classes add up to the same whole in every dialect, whatever the dialect includes in what. */
function expectUsage(client: Client, seen: Awaited<ReturnType<typeof generateText>>['usage']): void {
  expect(seen).toMatchObject({ inputTokens: 330, outputTokens: 7 })
  expect(seen.inputTokenDetails).toMatchObject(
    client.countsCacheWrites
      ? { noCacheTokens: 10, cacheReadTokens: 300, cacheWriteTokens: 20 }
      : { noCacheTokens: 30, cacheReadTokens: 300 },
  )
}
