import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import type { HarnessSpec } from '../../../src/harness/index.ts'
import { reportedEnd } from '../../../src/harness/pi/pi-harness.ts'
import type { Answer } from '../../../src/model-server/index.ts'
import { type Dialect, dialects, everyDialect } from './bench.ts'
import { openDesk } from './in-process.ts'

/** How a task ends whose first request is answered like this; the provider must have been asked once only. */
async function endAfter(dialect: Dialect, answer: Answer, given?: Partial<HarnessSpec>) {
  const desk = await openDesk({ dialect, respond: () => answer })
  const end = reportedEnd(await desk.fail(given))
  expect(desk.server.requests).toHaveLength(1)
  return end
}

const failed = (reason: object) => ({ ok: false, exit: { type: 'error', code: 1 }, reason })

describe.each(everyDialect)('in the dialect %s', dialect => {
  verifies(['d8/retriable-rate-limit'], 'a rate limit is told with the wait that was asked for', async () => {
    const hinted = { kind: 'error', status: 429, message: 'Slow down.', retryAfter: 90 } as const
    expect(await endAfter(dialect, hinted)).toEqual({
      ...failed({ type: 'rate-limit', retriable: true, message: '429: Slow down.' }),
      retryAfterMs: 90_000,
    })
  })

  verifies(['d8/retriable-rate-limit'], 'a rate limit without a hint has none', async () => {
    expect(await endAfter(dialect, { kind: 'error', status: 429, message: 'Slow down.' })).toEqual(
      failed({ type: 'rate-limit', retriable: true, message: '429: Slow down.' }),
    )
  })

  verifies(['d8/final-authentication'], 'a key that is refused is final', async () => {
    expect(await endAfter(dialect, { kind: 'error', status: 401, message: 'Wrong key.' })).toEqual(
      failed({ type: 'api-error', retriable: false, message: '401: Wrong key.' }),
    )
  })

  verifies(['d8/final-model-not-found'], 'a model that is not found is final', async () => {
    expect(await endAfter(dialect, { kind: 'error', status: 404, message: 'No such model.' })).toEqual(
      failed({ type: 'api-error', retriable: false, message: '404: No such model.' }),
    )
  })

  verifies(['d8/final-invalid-request'], 'a request that is not understood is final', async () => {
    expect(await endAfter(dialect, { kind: 'error', status: 400, message: 'What?' })).toEqual(
      failed({ type: 'api-error', retriable: false, message: '400: What?' }),
    )
  })

  verifies(['d8/retriable-5xx', 'd8/retriable-overloaded'], 'trouble of the provider passes', async () => {
    for (const status of [500, 529]) {
      expect(await endAfter(dialect, { kind: 'error', status, message: 'Sorry.' })).toEqual(
        failed({ type: 'api-error', retriable: true, message: `${status}: Sorry.` }),
      )
    }
  })

  verifies(['d8/retriable-connection'], 'a connection that is cut before the answer passes', async () => {
    expect(await endAfter(dialect, { kind: 'drop' })).toMatchObject(
      failed({
        type: 'api-error',
        retriable: true,
        message: expect.stringContaining('could not be reached'),
      }),
    )
  })

  verifies(['d8/retriable-connection'], 'an answer that is cut or spoilt half-way passes', async () => {
    const parts = [{ kind: 'text', text: 'one two three four five six seven' }] as const
    for (const broken of ['cut', 'garbage'] as const) {
      expect(await endAfter(dialect, { kind: 'message', parts, broken })).toMatchObject(
        failed({ type: 'api-error', retriable: true, message: expect.stringContaining('cut off') }),
      )
    }
  })

  verifies(['d8/retriable-connection'], 'a provider that is not there passes', async () => {
    const desk = await openDesk({ dialect, respond: () => ({ kind: 'drop' }) })
    await desk.server.close()
    expect(reportedEnd(await desk.fail())).toMatchObject(
      failed({ type: 'api-error', retriable: true, message: expect.stringContaining('ECONNREFUSED') }),
    )
  })

  verifies(
    ['2.3/auto-compact-false', 'd8/context-overflow-error'],
    'a full context is told as such, in the words of the provider',
    async () => {
      const desk = await openDesk({ dialect, respond: () => ({ kind: 'overflow' }) })
      const failure = await desk.fail()
      expect(failure.contextFull).toBe(true)
      expect(reportedEnd(failure).ok).toBe(false)
    },
  )

  verifies(
    ['d8/false-success'],
    'a refusal that looks like an answer is a failure, and paid for',
    async () => {
      const desk = await openDesk({
        dialect,
        respond: () => ({
          kind: 'message',
          parts: [{ kind: 'text', text: 'I would rather not.' }],
          stop: 'refusal',
          usage: { input: 11, output: 5 },
        }),
      })
      expect(reportedEnd(await desk.fail())).toMatchObject(
        failed({ type: 'unknown', retriable: false, message: expect.stringContaining('refus') }),
      )
      expect(desk.events.find(({ type }) => type === 'usage')).toMatchObject({
        tokens: { inputTokens: 11, outputTokens: 5 },
      })
    },
  )

  test('an answer that reaches the limit of its length is an answer, and paid for', async () => {
    const desk = await openDesk({
      dialect,
      respond: () => ({
        kind: 'message',
        parts: [{ kind: 'text', text: 'And so' }],
        stop: 'max-tokens',
        usage: { input: 11, output: 5 },
      }),
    })
    expect(await desk.ask()).toEqual({ type: 'turn' })
    expect(desk.events.find(({ type }) => type === 'usage')).toMatchObject({
      tokens: { inputTokens: 11, outputTokens: 5 },
    })
  })
})

const beginnings = {
  responses: [
    '{"type":"response.created","response":{"id":"r"}}',
    '{"type":"response.output_item.added","item":{"type":"message","id":"m","content":[]}}',
    '{"type":"response.content_part.added","part":{"type":"output_text","text":""}}',
    '{"type":"response.output_text.delta","delta":"half"}',
  ],
  google: ['{"candidates":[{"content":{"parts":[{"text":"half"}]}}]}'],
} as const

describe.each(['responses', 'google'] as const)('in the dialect %s', dialect => {
  verifies(['d8/false-success'], 'half an answer that just ends is no answer', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(beginnings[dialect].map(line => `data: ${line}\n\n`).join(''))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const desk = await openDesk({ dialect, respond: () => ({ kind: 'drop' }) })
    const end = reportedEnd(await desk.fail({ env: dialects[dialect].env(`http://127.0.0.1:${port}`) }))
    expect(desk.events).toContainEqual({ type: 'text', text: 'half' })
    expect(end).toEqual(
      failed({ type: 'api-error', retriable: true, message: 'The answer of the provider was cut off.' }),
    )
  })
})

test('an error of any length is told', async () => {
  const message = 'long '.repeat(100_000)
  const end = await endAfter('anthropic', { kind: 'error', status: 500, message })
  expect(end).toMatchObject(failed({ type: 'api-error', retriable: true }))
})

test('a good turn stays good when the session cannot be made shorter after it', async () => {
  const desk = await openDesk({
    dialect: 'responses',
    factsOf: () => ({ contextWindow: 100_000 }),
    respond: ({ tools, index }) => {
      if (tools.length === 0) return { kind: 'drop' }
      const usage = { input: index === 2 ? 99_000 : 10, output: 1 }
      return { kind: 'message', parts: [{ kind: 'text', text: 'fine' }], usage }
    },
  })
  const long = 'word '.repeat(20_000)
  expect(await desk.ask([long, long, 'three'], { autoCompact: true })).toEqual({ type: 'turn' })
  expect(desk.server.requests).toHaveLength(4)
})

verifies(['d8/final-launch-failure'], 'a task without a key ends before anything is asked', async () => {
  const desk = await openDesk({ respond: () => ({ kind: 'drop' }) })
  const end = reportedEnd(await desk.fail({ env: { ANTHROPIC_BASE_URL: desk.server.url } }))
  expect(end).toEqual(
    failed({
      type: 'unknown',
      retriable: false,
      message: 'There is no key for anthropic. Set ANTHROPIC_API_KEY or VENDOR_API_KEY.',
    }),
  )
  expect(desk.server.requests).toEqual([])
})
