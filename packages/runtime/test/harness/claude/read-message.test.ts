import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import { classifyResult, errorsAfter, noErrors } from '../../../src/harness/claude/classify-result.ts'
import { readMessage } from '../../../src/harness/claude/read-message.ts'
import { createTranslate } from '../../../src/harness/claude/translate.ts'

const keys =
  'type subtype message content id usage event input tool_use_id is_error text name model errors result modelUsage ' +
  'input_tokens output_tokens error error_status retry_delay_ms attempt'
const words =
  'assistant user system result stream_event message_start message_delta text tool_use tool_result thinking ' +
  'api_retry success __proto__ constructor'

/** JSON that looks like messages of the SDK as often as not. */
const anything = fc.anything({
  key: fc.constantFrom(...keys.split(' ')),
  values: [fc.constantFrom(...words.split(' ')), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)],
  withNullPrototype: true,
})

test('whatever the SDK says is read, translated and judged without a crash', () => {
  fc.assert(
    fc.property(fc.array(anything), messages => {
      const translate = createTranslate(createTestClock())
      let errors = noErrors
      for (const raw of messages) {
        const message = readMessage(raw)
        errors = errorsAfter(errors, message)
        translate(message)
        if (message.kind === 'result') classifyResult(message.result, errors)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('names what it does not know', () => {
  expect(readMessage({ type: 'confetti' })).toEqual({ kind: 'unknown', name: 'confetti' })
  expect(readMessage({ type: 'system', subtype: 'confetti' })).toEqual({
    kind: 'unknown',
    name: 'system/confetti',
  })
  expect(readMessage(7)).toEqual({ kind: 'unknown', name: 'number' })
})

test('reads the blocks of an answer and leaves out empty and strange ones', () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: '' },
    { type: 'text', text: 'I write.' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'tool_use', id: 't1', name: 'Write', input: { file_path: '/a', content: 'b' } },
    { type: 'tool_use', name: 'Nameless' },
  ]
  const message = { id: 'm1', model: 'claude-sonnet-4-5', content, usage: { input_tokens: 3 } }
  expect(readMessage({ type: 'assistant', message })).toEqual({
    kind: 'answer',
    messageId: 'm1',
    thread: '',
    modelId: 'claude-sonnet-4-5',
    blocks: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'I write.' },
      { type: 'tool-call', id: 't1', name: 'Write', input: { file_path: '/a', content: 'b' } },
    ],
    usage: { inputTokens: 3 },
  })
})

test('an answer that the agent program made up is no answer of the model', () => {
  const message = { id: 'x', model: '<synthetic>', content: [{ type: 'text', text: 'Prompt is too long' }] }
  expect(readMessage({ type: 'assistant', message, error: 'invalid_request' })).toEqual({
    kind: 'notice',
    error: 'invalid_request',
  })
})

test('reads the results of tools, and nothing that the program says in the name of the user', () => {
  const content = [
    { type: 'tool_result', tool_use_id: 't1', content: 'plain' },
    {
      type: 'tool_result',
      tool_use_id: 't2',
      is_error: true,
      content: [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }],
    },
    { type: 'text', text: 'aside' },
  ]
  const message = { role: 'user', content }
  expect(readMessage({ type: 'user', message })).toEqual({
    kind: 'tool-results',
    results: [
      { id: 't1', output: 'plain', isError: false },
      { id: 't2', output: 'one\n[image]\ntwo', isError: true },
    ],
  })
  expect(readMessage({ type: 'user', message, isSynthetic: true })).toEqual({ kind: 'alive' })
  expect(readMessage({ type: 'user', message, isReplay: true })).toEqual({ kind: 'alive' })
  expect(readMessage({ type: 'user', message: { content: 'text only' } })).toEqual({ kind: 'alive' })
})

test('a result that calls itself a success and carries an error is an error', () => {
  const read = (fields: object) => {
    const message = readMessage({ type: 'result', subtype: 'success', is_error: false, ...fields })
    return message.kind === 'result' ? message.result : undefined
  }
  expect(read({ result: 'fine' })).toMatchObject({ isError: false, message: 'fine' })
  expect(read({ is_error: true, result: 'API Error: 529' })).toMatchObject({ isError: true })
  expect(read({ subtype: 'error_during_execution', errors: ['a', 'b'] })).toMatchObject({
    isError: true,
    message: 'a\nb',
  })
})

test('a total counts as one of list prices unless a model was priced otherwise', () => {
  const isListPrice = (...bases: readonly (string | undefined)[]) => {
    const modelUsage = Object.fromEntries(bases.map((costBasis, at) => [`m${at}`, { costBasis }]))
    const message = readMessage({ type: 'result', subtype: 'success', modelUsage })
    return message.kind === 'result' && message.result.isListPrice
  }
  expect(isListPrice()).toBe(true)
  expect(isListPrice('list', undefined)).toBe(true)
  expect(isListPrice('list', 'unknown')).toBe(false)
  expect(isListPrice('managed')).toBe(false)
})
