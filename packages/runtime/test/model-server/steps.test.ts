import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, jsonSchema, streamText, tool } from 'ai'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createRehearsal, type RehearsalScript } from '../../src/model-server/index.ts'
import { clients } from './dialects.ts'
import { post, rehearsed, served } from './served.ts'

const write = tool({
  inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
  execute: () => 'written',
})

type Steps = NonNullable<RehearsalScript['codons']>[string]

/** A real client that works on a codon with these steps. */
async function working(steps: Steps) {
  const { server, rehearsal } = await rehearsed({ codons: { draft: steps } })
  const apiKey = rehearsal.keyFor('draft')
  const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey })('claude-sonnet-4-5')
  return { model, prompt: 'Go.', tools: { write }, maxRetries: 0 }
}

verifies(
  ['d13/step-think', 'd13/step-usage', 'd13/one-step-per-request'],
  'a step thinks, and is charged with its usage',
  async () => {
    const ask = await working([
      { think: 'Hm.' },
      { think: 'Ah.', say: 'So.', usage: { input: 900, output: 40 } },
    ])
    expect(await generateText(ask)).toMatchObject({ reasoningText: 'Hm.', text: '' })
    const second = streamText(ask)
    expect(await second.reasoningText).toBe('Ah.')
    expect(await second.text).toBe('So.')
    expect(await second.usage).toMatchObject({ inputTokens: 900, outputTokens: 40 })
  },
)

verifies(['d13/step-fail', 'd13/step-overflow'], 'a step fails, or finds the context full', async () => {
  const ask = await working([
    { fail: { status: 429, message: 'Too fast.', retryAfter: 2.5 } },
    { fail: { status: 529 } },
    { overflow: true },
  ])
  const failures: unknown[] = []
  for (let asked = 0; asked < 3; asked++) {
    failures.push(await generateText(ask).catch((error: unknown) => APICallError.isInstance(error) && error))
  }
  expect(failures).toMatchObject([
    { statusCode: 429, message: 'Too fast.', responseHeaders: { 'retry-after': '2.5' } },
    { statusCode: 529 },
    { statusCode: 400, message: expect.stringContaining('prompt is too long') },
  ])
})

verifies(
  ['d13/step-hang', 'd13/step-drop', 'd13/step-wait'],
  'a step drops the connection, hangs, or waits before it answers',
  async () => {
    const clock = createTestClock()
    const script: RehearsalScript = {
      codons: { draft: [{ drop: true }, { hang: 30 }, { wait: 400 }, { say: 'Late.', wait: 100 }] },
    }
    const rehearsal = createRehearsal({ script, strict: true })
    const server = await served(rehearsal.respond, { clock })
    const ask = () =>
      post(
        `${server.url}/v1/messages`,
        { tools: [{ name: 'Write' }] },
        { 'x-api-key': rehearsal.keyFor('draft') },
      ).then(
        answer => answer.text(),
        () => 'cut',
      )
    expect(await ask()).toBe('cut')
    const hanging = ask()
    await clock.untilSleepers(1)
    await clock.advance(29_999)
    expect(server.requests[1]?.endedAt).toBeUndefined()
    await clock.advance(1)
    expect(await hanging).toBe('cut')
    const waiting = ask()
    await clock.untilSleepers(1)
    await clock.advance(499)
    expect(server.requests[2]?.endedAt).toBeUndefined()
    await clock.advance(1)
    expect(await waiting).toContain('Late.')
    expect(rehearsal.leftovers()).toEqual([])
  },
)

verifies(['d13/key-sentinel'], 'finds the outputs of a sentinel by its key in every dialect', async () => {
  const outputs = ['one', 'two', 'three', 'four', 'five']
  const { server, rehearsal } = await rehearsed({
    codons: { '*': [{ say: 'not this' }] },
    sentinels: { narrator: outputs },
  })
  const key = rehearsal.sentinelKeyFor('narrator')
  expect(key).toBe('rehearsal-sentinel-narrator')
  const heard: string[] = []
  for (const client of clients) {
    heard.push((await generateText({ model: client.model(server.url, key), prompt: 'What happened?' })).text)
  }
  expect(heard).toEqual(outputs)
})
