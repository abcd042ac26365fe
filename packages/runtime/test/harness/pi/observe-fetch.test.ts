import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quirksOf } from '../../../src/harness/pi/worker/dialect-quirks.ts'
import { watchStream } from '../../../src/harness/pi/worker/observe-fetch.ts'

async function through(api: string, chunks: readonly Uint8Array[]) {
  const seen: object[] = []
  const watcher = watchStream({
    quirks: quirksOf(api),
    onBytes: () => undefined,
    onSeen: what => void seen.push(what),
  })
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const out: Buffer[] = []
  for await (const chunk of source.pipeThrough(watcher)) out.push(Buffer.from(chunk))
  return { text: Buffer.concat(out), seen: Object.assign({}, ...seen) }
}

/** The same bytes, cut at other places. */
function cut(text: string, at: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text)
  const places = [0, ...at.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

test.each(['anthropic-messages', 'openai-responses', 'google-generative-ai'])(
  'an answer in %s comes out as it went in, wherever it was cut',
  async api => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 })), async chunks => {
        expect((await through(api, chunks)).text).toEqual(Buffer.concat(chunks))
      }),
    )
  },
)

describe('a response', () => {
  const ended = (type: string, reason: string | null) =>
    `event: ${type}\ndata: {"type":"${type}","response":{"incomplete_details":${
      reason === null ? 'null' : `{"reason":"${reason}"}`
    },"text":"größer"}}\n\n`

  test('that ends early is told in words that the SDK waits for, wherever it was cut', async () => {
    const text = ended('response.incomplete', 'max_output_tokens')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async at => {
        const out = await through('openai-responses', cut(text, at))
        expect(out.text.toString()).toBe(ended('response.completed', 'max_output_tokens'))
        expect(out.seen).toEqual({ isWhole: true })
      }),
    )
  })

  test('that is filtered is a refusal', async () => {
    const { seen } = await through(
      'openai-responses',
      cut(ended('response.incomplete', 'content_filter'), []),
    )
    expect(seen).toEqual({ isWhole: true, isRefusal: true })
  })

  test('that speaks of such an end is left alone', async () => {
    const line = `data: {"type":"response.output_text.delta","delta":"{\\"type\\":\\"response.incomplete\\"}"}\n\n`
    const { text, seen } = await through('openai-responses', cut(line, []))
    expect(text.toString()).toBe(line)
    expect(seen).toEqual({})
  })
})

test('an answer without usage gets an empty one, and everything else stays', async () => {
  const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`
  const bare = [
    { type: 'message_start', message: { id: 'm', text: 'größer' } },
    { type: 'content_block_delta', delta: { text: 'x' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: null },
  ]
  const out = await through('anthropic-messages', cut(bare.map(data).join(''), [3, 50]))
  expect(out.text.toString()).toBe(
    [
      { type: 'message_start', message: { id: 'm', text: 'größer', usage: {} } },
      bare[1] ?? {},
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
    ]
      .map(data)
      .join(''),
  )
  const told = data({ type: 'message_start', message: { usage: { input_tokens: 1 } } })
  expect((await through('anthropic-messages', cut(told, []))).text.toString()).toBe(told)
})
