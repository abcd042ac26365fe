import { expect, test } from 'vitest'
import { createAnswers } from '../../../src/harness/claude/cost.ts'
import type { SdkMessage } from '../../../src/harness/claude/sdk-message.ts'

const began = (thread = ''): SdkMessage => ({
  kind: 'answer-began',
  thread,
  messageId: 'm',
  modelId: undefined,
  usage: {},
})
const grew = (thread = '', isWhole = true): SdkMessage => ({
  kind: 'answer-grew',
  thread,
  isWhole,
  usage: {},
})
const whole: SdkMessage = {
  kind: 'answer',
  thread: '',
  messageId: 'm',
  modelId: undefined,
  blocks: [],
  usage: {},
}

function after(...messages: readonly SdkMessage[]) {
  const answers = createAnswers()
  for (const message of messages) answers.add(message)
  return { some: answers.some(), unfinished: answers.unfinished() }
}

test('an answer is finished when its last figures have come', () => {
  expect(after()).toEqual({ some: false, unfinished: false })
  expect(after(began())).toEqual({ some: true, unfinished: true })
  expect(after(began(), whole, grew())).toEqual({ some: true, unfinished: false })
  expect(after(whole)).toEqual({ some: true, unfinished: false })
})

test('an answer that was cut off is not finished by its last figures', () => {
  expect(after(began(), grew('', false))).toEqual({ some: true, unfinished: true })
})

test('an answer that gave way to another attempt stays unfinished', () => {
  expect(after(began(), began(), grew())).toEqual({ some: true, unfinished: true })
})

test('the answers of subagents are their own', () => {
  expect(after(began(), began('tool-1'), grew('tool-1'))).toMatchObject({ unfinished: true })
  expect(after(began(), began('tool-1'), grew('tool-1'), grew())).toMatchObject({ unfinished: false })
})
