import { expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import type { HarnessEnd } from '../../../src/harness/index.ts'
import type { Answer } from '../../../src/model-server/index.ts'
import { type Act, patience, say, script, setStage } from './stage.ts'

/** What becomes of an agent whose provider answers so. Without further attempts of its own unless asked for. */
async function after(answer: Answer, act: Act = {}) {
  const stage = await setStage(script(answer))
  const performance = await stage.act({ options: { retries: 0 }, ...act })
  expect(performance.survivors).toEqual([])
  expect(performance.sessionId).not.toBe('')
  expect(performance.end.ok).toBe(false)
  return { ...performance, requests: stage.server.requests.length }
}

const error = (status: number, message = 'no'): Answer => ({ kind: 'error', status, message })

verifies(
  ['d8/retriable-rate-limit', 'd8/retriable-overloaded', 'd8/retriable-5xx', 'd8/false-success'],
  'limits, overload and errors of the provider may be tried again',
  async () => {
    const [limited, overloaded, broken] = await Promise.all([
      after(error(429)),
      after(error(529)),
      after(error(500)),
    ])
    expect(limited.raw.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: true })
    expect(limited.end).toMatchObject({
      exit: { type: 'error', code: 1 },
      reason: { type: 'rate-limit', retriable: true, message: expect.stringContaining('429') },
    })
    expect(limited.end).not.toHaveProperty('retryAfterMs')
    for (const { end } of [overloaded, broken]) {
      expect(end).toMatchObject({ reason: { type: 'api-error', retriable: true } })
    }
  },
  patience,
)

verifies(
  ['d8/final-authentication', 'd8/final-model-not-found', 'd8/final-invalid-request'],
  'a wrong key, an unknown model and a bad request are final',
  async () => {
    const [key, model, request] = await Promise.all([401, 404, 400].map(status => after(error(status))))
    for (const one of [key, model, request]) {
      expect(one?.end).toMatchObject({ reason: { type: 'api-error', retriable: false }, totalDollars: 0 })
    }
    expect(key?.end).toMatchObject({
      reason: { message: expect.stringContaining('Check ANTHROPIC_API_KEY') },
    })
  },
  patience,
)

verifies(
  ['d8/retriable-connection'],
  'a connection that breaks may be tried again',
  async () => {
    const parts = [{ kind: 'text' as const, text: 'Half of it.' }]
    const [dropped, halfway, refused] = await Promise.all([
      after({ kind: 'drop' }),
      after({ kind: 'message', parts, broken: 'cut' }),
      after(say('never'), { variables: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } }),
    ])
    for (const { end } of [dropped, halfway, refused]) {
      expect(end).toMatchObject({ reason: { type: 'api-error', retriable: true } })
    }
    expect(refused.requests).toBe(0)
  },
  patience,
)

verifies(
  ['2.3/auto-compact-false'],
  'a full context is told as such, with what it cost',
  async () => {
    const stage = await setStage(script(say('Fine.', { input: 1_000, output: 100 }), { kind: 'overflow' }))
    const more = ['More.', 'And more.']
    const { events, end } = await stage.act({ nextPrompt: () => more.shift() })
    expect(events.slice(-2)).toEqual([{ type: 'context-full' }, { type: 'ended', end }])
    expect(end).toEqual({
      ok: false,
      exit: { type: 'error', code: 1 },
      reason: { type: 'api-error', retriable: false, message: 'Prompt is too long' },
      totalDollars: 0.0045,
    })
    expect(more).toEqual(['And more.'])
  },
  patience,
)

verifies(
  ['2.3/auto-compact-true'],
  'a session that may be made shorter goes on when it is full',
  async () => {
    const usage = { input: 1_000, output: 100 }
    const stage = await setStage(({ index }) =>
      index === 1 ? { kind: 'overflow' } : say(`Answer ${index}.`, usage),
    )
    const more = ['More.']
    const { events, end } = await stage.act({ autoCompact: true, nextPrompt: () => more.shift() })
    expect(events).toContainEqual({ type: 'compacted' })
    expect(events).not.toContainEqual({ type: 'context-full' })
    // The answers that made it shorter are not told, but they are paid for: all but the one that failed.
    expect(end).toEqual({ ok: true, totalDollars: 0.0045 * (stage.server.requests.length - 1) })
  },
  patience,
)

const hintOf = (end: HarnessEnd) => (end.ok ? undefined : end.retryAfterMs)

verifies(
  ['d14/retry-hint-every-harness'],
  'hands on what the provider asked for, however long it is, but not for what is final',
  async () => {
    const asked = (status: number, retryAfter: number) => after({ kind: 'error', status, retryAfter })
    const ends = await Promise.all([asked(429, 61), asked(503, 90_000), asked(400, 100)])
    const [limited, broken, final] = ends.map(({ end }) => hintOf(end))
    expect(limited).toBeGreaterThan(0)
    expect(limited).toBeLessThanOrEqual(61_000)
    expect(broken).toBeGreaterThan(80_000_000)
    expect(broken).toBeLessThanOrEqual(90_000_000)
    expect(final).toBeUndefined()
  },
  patience,
)

test(
  'waits as long as the provider asks, says so, and hands the wait on when it gives up',
  async () => {
    const options = { retries: 1 }
    const { events, end, requests } = await after({ kind: 'error', status: 429, retryAfter: 1 }, { options })
    expect(events).toContainEqual({
      type: 'waiting',
      delayMs: 1_000,
      reason: 'the provider limits the rate of requests (429)',
    })
    expect(end).toMatchObject({ reason: { type: 'rate-limit' }, retryAfterMs: expect.any(Number) })
    expect(hintOf(end)).toBeLessThanOrEqual(1_000)
    expect(requests).toBe(2)
  },
  patience,
)

test(
  'without a key it says which one to set, and asks nobody',
  async () => {
    const { end, requests } = await after(say('never'), { variables: { ANTHROPIC_API_KEY: '' } })
    expect(end).toMatchObject({
      reason: {
        type: 'api-error',
        retriable: false,
        message: expect.stringContaining('Set ANTHROPIC_API_KEY'),
      },
    })
    expect(requests).toBe(0)
  },
  patience,
)

verifies(
  ['d8/final-launch-failure'],
  'an agent that cannot be started is final and says why',
  async () => {
    const stage = await setStage(script(say('never')))
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    const acts = await Promise.all([
      stage.act({ options: { load: () => Promise.reject(missing) } }),
      stage.act({ cwd: `${stage.cwd}/gone` }),
    ])
    for (const { events, end } of acts) {
      expect(events).toHaveLength(1)
      expect(end).toMatchObject({
        exit: { type: 'error', code: 1 },
        reason: { type: 'unknown', retriable: false },
      })
    }
    const messages = acts.map(({ end }) => (end.ok ? '' : end.reason.message))
    expect(messages).toEqual([
      'The Claude Agent SDK is not installed, or not whole. Install it: weave harness add claude',
      `The agent could not be started: working directory ${stage.cwd}/gone does not exist`,
    ])
  },
  patience,
)

verifies(
  ['d8/retriable-crash'],
  'an agent that dies without a result may be tried again',
  async () => {
    const stage = await setStage(script({ kind: 'hang', seconds: 60 }))
    let leader = 0
    void stage.server.until(({ kind }) => kind === 'model').then(() => process.kill(leader, 'SIGKILL'))
    const { end } = await stage.act({
      options: {
        own: pid => {
          leader = pid
          return () => undefined
        },
      },
    })
    expect(end).toEqual({
      ok: false,
      exit: { type: 'killed', signal: 'SIGKILL' },
      reason: { type: 'api-error', retriable: true, message: expect.stringContaining('ended by SIGKILL') },
    })
  },
  patience,
)
