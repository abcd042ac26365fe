import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { openSandbox } from './sandboxes.ts'

const sandbox = await openSandbox({ milliseconds: 200 })

async function verdict(schema: object, value: unknown, each = false): Promise<string> {
  const job = {
    kind: 'validate',
    schema: JSON.stringify(schema),
    value: JSON.stringify(value),
    each,
  } as const
  const answer = await sandbox.run(job)
  return answer.ok ? 'fits' : (answer.message.split('\n')[0] ?? '')
}

const finding = {
  type: 'object',
  properties: {
    severity: { enum: ['low', 'high'] },
    lines: { type: 'array', items: { type: 'integer', minimum: 1 } },
  },
  required: ['severity'],
  additionalProperties: false,
}

describe('a schema', () => {
  verifies(
    ['d10/structured-output-json-schema'],
    'is compared with a value, and nothing in it is evaluated',
    async () => {
      expect(await verdict(finding, { severity: 'low', lines: [1, 2] })).toBe('fits')
      expect(await verdict(finding, { severity: 'none' })).toContain('Invalid option')
      expect(await verdict(finding, { severity: 'low', lines: [0] })).toContain('Too small')
      expect(await verdict(finding, { severity: 'low', other: 1 })).toContain('Unrecognized key')
      expect(await verdict(finding, [])).toContain('expected object')
      const code = {
        type: 'object',
        properties: { a: { const: '`$' + '{process.exit(1)}`' } },
        default: 'process.exit(1)',
      }
      expect(await verdict(code, { a: '`$' + '{process.exit(1)}`' })).toBe('fits')
    },
  )

  test('is compared with each item of a list', async () => {
    expect(await verdict(finding, [{ severity: 'low' }, { severity: 'high' }], true)).toBe('fits')
    expect(await verdict(finding, [{ severity: 'low' }, { severity: 1 }], true)).toContain('Invalid option')
    expect(await verdict(finding, { severity: 'low' }, true)).toContain('expected array')
  })

  test('that cannot be used says why', async () => {
    expect(await verdict({ $ref: 'https://example.com/x.json' }, 1)).toContain(
      'External $ref is not supported',
    )
    expect(await verdict({ type: 'string', pattern: '(' }, 'x')).toContain('Invalid regular expression')
  })

  test('with a pattern that never ends is stopped', async () => {
    const hostile = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    expect(await verdict(hostile, { a: `${'a'.repeat(50)}b` })).toBe(
      'it did not come to an end and was stopped',
    )
    expect(await verdict(finding, { severity: 'low' })).toBe('fits')
  })
})
