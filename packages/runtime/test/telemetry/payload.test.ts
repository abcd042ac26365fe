import { readFileSync } from 'node:fs'
import { events, type JournaledEvent, type JournaledType } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createUsageCount } from '../../src/telemetry/index.ts'
import { payloadFields, telemetryPayload } from '../../src/telemetry/payload.ts'

const page = readFileSync(new URL('../../../../docs/telemetry.md', import.meta.url), 'utf8')

describe('what telemetry may say', () => {
  verifies(
    ['2.8/telemetry-anonymous'],
    'has no place for a text that a person or an agent wrote: numbers, yes and no, a few words, versions, a day',
    () => {
      const leaves: unknown[] = []
      JSON.stringify(z.toJSONSchema(telemetryPayload), (_, value: unknown) => {
        if (isRecord(value) && 'type' in value && typeof value['type'] === 'string') leaves.push(value)
        return value
      })
      const texts = leaves.filter(isRecord).filter(leaf => leaf['type'] === 'string')
      expect(texts.length).toBeGreaterThan(5)
      for (const text of texts) expect('enum' in text || 'const' in text || 'pattern' in text).toBe(true)
      const objects = leaves.filter(isRecord).filter(leaf => leaf['type'] === 'object')
      for (const object of objects)
        expect(object['additionalProperties'] === false || 'propertyNames' in object).toBe(true)
      for (const word of ['hostname', 'user', 'path', 'prompt', 'cost', 'name', 'model', 'machine'])
        expect(payloadFields.map(({ name }) => name.toLowerCase())).not.toContain(word)
    },
  )

  test('is documented to the last field, in the words of the table', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \| (both|end) \|$/gm)].map(
      ([, name, meaning, when]) => ({
        name,
        meaning,
        isOnlyAtEnd: when === 'end',
      }),
    )
    expect(rows).toEqual(payloadFields)
    const meanings = payloadFields.map(({ meaning }) => meaning)
    expect(new Set(meanings).size).toBe(meanings.length)
    expect(meanings).not.toContain('')
  })

  test('refuses a version or a session that holds anything else', () => {
    const [example = ''] = [...(/```json\n([\s\S]*?)\n```/.exec(page)?.slice(1) ?? [])]
    const payload: unknown = JSON.parse(example)
    expect(telemetryPayload.safeParse(payload).success).toBe(true)
    if (!isRecord(payload)) throw new Error('the example is no payload')
    for (const [field, value] of [
      ['weaveVersion', '/home/user/secret'],
      ['node', 'v20 of me'],
      ['session', 'my machine'],
      ['day', '2026-01-01T10:00:00Z'],
      ['platform', 'my laptop'],
      ['extra', 1],
    ])
      expect(telemetryPayload.safeParse({ ...payload, [String(field)]: value }).success).toBe(false)
  })
})

describe('what is counted', () => {
  const event = <T extends JournaledType>(type: T, data: object): JournaledEvent =>
    ({ id: 'e', seq: 1, timestamp: '2026-01-01T00:00:00.000Z', type, data }) as unknown as JournaledEvent

  test('is ends, retries, rollbacks, breaches and types of failures', () => {
    const count = createUsageCount()
    const failed = (type: string) => event('codon.completed', { success: false, failureReason: { type } })
    for (const told of [
      event('codon.completed', { success: true }),
      failed('timeout'),
      failed('timeout'),
      event('codon.completed', { success: false }),
      event('codon.retrying', {}),
      event('rollback.started', {}),
      event('rollback.completed', {}),
      event('budget.exceeded', {}),
      event('assistant.action', { content: 'a secret thought' }),
    ])
      count.add(told)
    expect(count.read()).toEqual({
      codonsEnded: 4,
      retries: 1,
      rollbacks: 1,
      budgetStops: 1,
      failures: { timeout: 2, unknown: 1 },
    })
  })

  test('never holds a word of an event', () => {
    const types = Object.keys(events) as JournaledType[]
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.string({ minLength: 6 }), (type, text) => {
        const count = createUsageCount()
        const marked = `zzq${text}`
        count.add(
          event(type, {
            message: marked,
            content: marked,
            codonId: marked,
            failureReason: { message: marked, type: 'timeout' },
          }),
        )
        expect(JSON.stringify(count.read())).not.toContain('zzq')
      }),
    )
  })
})

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
