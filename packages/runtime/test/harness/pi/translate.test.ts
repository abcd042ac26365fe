import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namedCall } from '../../../src/harness/pi/worker/translate.ts'

test.each([
  ['read', { path: 'a', offset: 3 }, 'Read', { file_path: 'a', offset: 3 }],
  ['write', { path: 'a', content: 'b' }, 'Write', { file_path: 'a', content: 'b' }],
  ['bash', { command: 'ls', timeout: 5 }, 'Bash', { command: 'ls', timeout: 5 }],
  ['ls', { path: 'a' }, 'LS', { path: 'a' }],
  [
    'edit',
    { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
    'Edit',
    { file_path: 'a', old_string: 'x', new_string: 'y' },
  ],
  [
    'edit',
    {
      path: 'a',
      edits: [
        { oldText: 'x', newText: 'y' },
        { oldText: 'z', newText: '' },
      ],
    },
    'Edit',
    {
      file_path: 'a',
      edits: [
        { old_string: 'x', new_string: 'y' },
        { old_string: 'z', new_string: '' },
      ],
    },
  ],
  [
    'edit',
    { path: 'a', oldText: 'x', newText: 'y' },
    'Edit',
    { file_path: 'a', old_string: 'x', new_string: 'y' },
  ],
  ['later', { path: 'a' }, 'later', { path: 'a' }],
])('%s is told in the words that all harnesses share', (tool, input, name, told) => {
  expect(namedCall(tool, input)).toEqual({ name, input: told })
})

test('any input of any tool can be told', () => {
  const tools = fc.oneof(fc.constantFrom('read', 'edit', 'bash', '__proto__', 'constructor'), fc.string())
  fc.assert(
    fc.property(tools, fc.jsonValue(), (tool, input) => {
      const { input: told } = namedCall(tool, input)
      expect(typeof told === 'object' && told !== null && !Array.isArray(told)).toBe(true)
    }),
  )
})
