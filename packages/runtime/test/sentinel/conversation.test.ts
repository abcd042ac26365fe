import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { type ConversationTurn, readConversation, trimmed } from '../../src/sentinel/conversation.ts'

const turn: fc.Arbitrary<ConversationTurn> = fc.record({
  user: fc.string({ maxLength: 40 }),
  assistant: fc.string({ maxLength: 40 }),
})
const turns = fc.array(turn, { maxLength: 12 })

verifies(['d10/conversational-max-turns'], 'keeps the newest turns, so many', () => {
  fc.assert(
    fc.property(turns, fc.integer({ min: 1, max: 8 }), (all, maxTurns) => {
      const kept = trimmed(all, { trimmingStrategy: { type: 'maxTurns', maxTurns } })
      expect(kept).toEqual(all.slice(Math.max(0, all.length - maxTurns)))
    }),
  )
})

verifies(
  ['d10/conversational-max-tokens'],
  'keeps as many of the newest turns as fit, and always the newest',
  () => {
    const size = ({ user, assistant }: ConversationTurn) => Math.ceil((user.length + assistant.length) / 4)
    const sum = (some: readonly ConversationTurn[]) => some.reduce((total, one) => total + size(one), 0)
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 60 }), (all, maxTokens) => {
        const kept = trimmed(all, { trimmingStrategy: { type: 'maxTokens', maxTokens } })
        expect(kept).toEqual(all.slice(all.length - kept.length))
        if (all.length > 0) expect(kept.length).toBeGreaterThan(0)
        if (kept.length > 1) expect(sum(kept)).toBeLessThanOrEqual(maxTokens)
        const oneMore = all.slice(all.length - kept.length - 1)
        if (kept.length < all.length) expect(sum(oneMore)).toBeGreaterThan(maxTokens)
      }),
    )
  },
)

test('what is no conversation is not taken for one', () => {
  expect(readConversation('{"turns":[]}')).toEqual([])
  for (const text of [
    '',
    '[]',
    'null',
    '{"turns":1}',
    '{"turns":[null]}',
    '{"turns":[{"user":"a"}]}',
    '{"turns":[',
  ])
    expect({ text, read: readConversation(text) }).toEqual({ text, read: undefined })
})
