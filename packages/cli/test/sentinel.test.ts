import { expect, test } from 'vitest'
import { trialLines } from '../src/sentinel.ts'

const trigger = { number: 2, at: new Date('2026-01-01T00:00:00.000Z'), batch: { events: [], eventCount: 1 } }

test('a trial shows what was asked, what was answered and what it cost, with nothing hidden in it', () => {
  const lines = trialLines({
    ...trigger,
    systemPrompt: 'Be brief.',
    userPrompt: 'one\ntwo \u001b[31mred\n',
    said: { outputType: 'structured', content: { a: 1 }, cost: 0.5, tokens: { input: 1, output: 1 } },
    charge: { dollars: 0.5, isUnknown: false, tokens: { input: 1, output: 1 }, calls: 1 },
  })
  expect(lines).toEqual([
    '  #2  2026-01-01T00:00:00.000Z  1 event',
    '    system  Be brief.',
    '    prompt  one',
    '            two \\u{1b}[31mred',
    '    answer  {',
    '              "a": 1',
    '            }',
    '    cost    $0.5000',
  ])
})

test('a trial that failed shows why', () => {
  expect(trialLines({ ...trigger, problem: 'line 1: TypeError: no' }).at(-1)).toBe(
    '    problem line 1: TypeError: no',
  )
})
