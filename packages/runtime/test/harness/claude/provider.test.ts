import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../../../src/model-server/index.ts'
import { bash, patience, say, script, setStage } from './stage.ts'

/** A provider whose every answer stops for this reason. */
async function stoppingFor(reason: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const tell = (type: string, fields: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
    const usage = { input_tokens: 10, output_tokens: 1 }
    const message = {
      id: `msg_${performance.now()}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage,
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    tell('message_start', { message })
    tell('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    tell('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Part of it' } })
    tell('content_block_stop', { index: 0 })
    tell('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 5 } })
    tell('message_stop', {})
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

test(
  'an answer that ends because the window is full means a full context',
  async () => {
    const stage = await setStage(script(say('never')))
    const ANTHROPIC_BASE_URL = await stoppingFor('model_context_window_exceeded')
    const { events, end } = await stage.act({ variables: { ANTHROPIC_BASE_URL } })
    expect(events).toContainEqual({ type: 'context-full' })
    expect(end).toMatchObject({ ok: false, reason: { type: 'api-error', retriable: false } })
  },
  patience,
)

/** What else is known of the SDK; `WEAVE_PROOF=1` looks whether it still holds. */
if (process.env['WEAVE_PROOF'] === '1') {
  describe('what the SDK makes of its provider', { timeout: patience }, () => {
    test.each<[string, Answer]>([
      ['cut at its longest', { kind: 'message', parts: [{ kind: 'text', text: 'a' }], stop: 'max-tokens' }],
      ['refused', { kind: 'message', parts: [{ kind: 'text', text: 'no' }], stop: 'refusal' }],
    ])('an answer that is %s again and again is final', async (_how, answer) => {
      const stage = await setStage(script(answer))
      const { events, end } = await stage.act()
      expect(end).toMatchObject({ ok: false, reason: { type: 'api-error', retriable: false } })
      expect(events).not.toContainEqual({ type: 'context-full' })
    })

    test('a wait of more than a minute is not waited for, and its length is lost', async () => {
      const stage = await setStage(script({ kind: 'error', status: 429, retryAfter: 61 }))
      const { end } = await stage.act()
      expect(end).toMatchObject({ ok: false, reason: { type: 'rate-limit', retriable: true } })
      expect(end).not.toHaveProperty('retryAfterMs')
      expect(stage.server.requests).toHaveLength(1)
    })

    test.each<[string, Answer]>([
      ['an overload', { kind: 'error', status: 529 }],
      ['a connection that is cut', { kind: 'drop' }],
      [
        'a stream of nonsense',
        { kind: 'message', parts: [{ kind: 'text', text: 'half' }], broken: 'garbage' },
      ],
      ['a stream that is cut', { kind: 'message', parts: [{ kind: 'text', text: 'half' }], broken: 'cut' }],
    ])('%s is got over', async (_what, answer) => {
      const stage = await setStage(script(answer, answer, say('Fine after all.')))
      const { events, end } = await stage.act()
      expect(end).toMatchObject({ ok: true })
      expect(events).toContainEqual({ type: 'text', text: 'Fine after all.' })
    })

    test('an agent in the middle of an answer that stalls is stopped', async () => {
      const stage = await setStage(
        script(bash('true'), { kind: 'message', parts: [{ kind: 'text', text: 'half' }], broken: 'stall' }),
      )
      const stop = new AbortController()
      let answers = 0
      const { end, survivors } = await stage.act({
        signal: stop.signal,
        onEvent: event => {
          if (event.type === 'usage' && event.tokens.outputTokens === 1 && ++answers === 2) stop.abort()
        },
      })
      expect(end).toMatchObject({ ok: false, exit: { type: 'killed', signal: 'SIGTERM' } })
      expect(end, 'the SDK does not count what was cut off').not.toHaveProperty('totalDollars')
      expect(survivors).toEqual([])
    })
  })
}
