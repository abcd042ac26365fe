import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { createMeteredTurns, createOwnCosts } from '../../../src/harness/acp/metered-turns.ts'
import type { MeteredFailure } from '../../../src/proxy/index.ts'

const tokens = { inputTokens: 5, outputTokens: 2, cacheCreationTokens: 0, cacheReadTokens: 0 }
const good = { id: 'm', tokens, isWhole: true }
const bad = (failure: Partial<MeteredFailure>) => ({
  id: 'm',
  isWhole: false,
  failure: { message: 'No.', isOverflow: false, isCallersDoing: false, ...failure },
})
const turns = (autoCompact = false) => createMeteredTurns({ autoCompact, isMetered: true })
const stopReason = (reason: string) => ({ ok: true as const, result: { stopReason: reason } })

describe('the answers of a provider', () => {
  test('are usage, and of what was cut off it is not known', () => {
    expect(turns().answered(good)).toEqual({ events: [{ type: 'usage', messageId: 'm', tokens }] })
    expect(turns().answered({ ...good, isWhole: false }).events).toMatchObject([{ isUnknown: true }])
  })

  verifies(['acp/wait', 'acp/park'], 'make it wait, and for more than a minute end its work', () => {
    for (const status of [429, 503, 529]) {
      expect(turns().answered(bad({ status, retryAfterMs: 60_000 }))).toEqual({
        events: [{ type: 'waiting', delayMs: 60_000, reason: 'No.' }],
      })
      expect(turns().answered(bad({ status, retryAfterMs: 60_001 })).end).toMatchObject({
        reason: { type: status === 429 ? 'rate-limit' : 'api-error', retriable: true },
        retryAfterMs: 60_001,
      })
    }
  })

  verifies(['acp/overflow'], 'end it at the first overflow, or at the third in a row', () => {
    const full = bad({ status: 400, isOverflow: true })
    expect(turns().answered(full).end).toMatchObject({ reason: { message: 'The context is full.' } })
    const compacting = turns(true)
    const ends = [full, full, good, full, full, full].map(each => compacting.answered(each).end !== undefined)
    expect(ends).toEqual([false, false, false, false, false, true])
    expect(compacting.isFull()).toBe(true)
  })

  verifies(['acp/endless-failures'], 'end it when the fifth in a row is a failure', () => {
    const asking = turns()
    const ends = Array.from({ length: 5 }, () => asking.answered(bad({ status: 500 })).end !== undefined)
    expect(ends).toEqual([false, false, false, false, true])
  })

  verifies(['acp/end-turn-lie'], 'decide whether a turn that is said to have ended well did', () => {
    const failed = turns()
    failed.answered(bad({ status: 403 }))
    expect(failed.endOfTurn(stopReason('end_turn'))).toMatchObject({
      reason: { type: 'api-error', retriable: false },
    })
    const mended = turns()
    mended.answered(bad({ status: 500 }))
    mended.answered(good)
    expect(mended.endOfTurn(stopReason('end_turn'))).toBeUndefined()
    expect(mended.endOfTurn(stopReason('end_turn'))).toMatchObject({ ok: false })
    const unseen = createMeteredTurns({ autoCompact: false, isMetered: false })
    expect(unseen.endOfTurn(stopReason('end_turn'))).toBeUndefined()
  })

  verifies(['acp/stop-reasons'], 'do not matter when the agent says why it gave up', () => {
    for (const reason of ['max_tokens', 'max_turn_requests', 'refusal']) {
      const ended = turns()
      ended.answered(good)
      expect(ended.endOfTurn(stopReason(reason))).toMatchObject({
        reason: { retriable: false, message: expect.stringContaining(reason) as string },
      })
    }
  })

  test('say what an error of the agent means; without them its own words do', () => {
    const error = (data?: unknown) => ({
      ok: false as const,
      error: { code: -32_603, message: 'Internal error', data },
    })
    const limited = turns()
    limited.answered(bad({ status: 429, retryAfterMs: 5_000 }))
    expect(limited.endOfTurn(error())).toMatchObject({ reason: { type: 'rate-limit' }, retryAfterMs: 5_000 })
    expect(turns().endOfTurn(error({ errorKind: 'rate_limit' }))).toMatchObject({
      reason: { type: 'rate-limit' },
    })
    expect(turns().endOfTurn(error('because'))).toMatchObject({
      reason: { type: 'unknown', retriable: true, message: 'Internal error: because' },
    })
  })
})

test('the cost that an agent tells of itself is counted from one word to the next', () => {
  const costs = createOwnCosts()
  const said = [0.5, 0.5, 2].flatMap(amount => costs({ cost: { amount, currency: 'USD' } }))
  expect(said).toMatchObject([{ dollars: 0.5, isUnknown: true }, { dollars: 1.5 }])
})
