import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { formatProblem } from '../../src/kit/index.ts'
import { gateIdOf } from '../../src/settings/index.ts'
import { parseRuntimeFile } from '../../src/settings/read-values.ts'

const problemsIn = (...gates: readonly object[]): readonly string[] =>
  parseRuntimeFile(JSON.stringify({ gates }), 'weave.json').problems.map(formatProblem)

describe('gates of weave.json', () => {
  verifies(['gates/file'], 'take every key there is, and nothing else', () => {
    const whole = {
      id: 'plan-ok',
      before: 'implement',
      message: 'Read plan.md.',
      show: ['plan.md', 'docs/**'],
      timeoutSeconds: 3600,
      onReject: { redoFrom: 'plan', times: 2 },
      noteFile: 'notes.md',
    }
    expect(problemsIn(whole, { after: 'review#1' }, { before: 'polish', onReject: 'stop' })).toEqual([])
    const [unknown] = problemsIn({ ...whole, mesage: 'x' })
    expect(unknown).toContain('Unknown field mesage. Did you mean message?')
  })

  verifies(['gates/file'], 'have exactly one place each', () => {
    const fault = 'A gate has exactly one of "before" and "after"'
    expect(problemsIn({ id: 'a' }).join()).toContain(fault)
    expect(problemsIn({ before: 'a', after: 'b' }).join()).toContain(fault)
  })

  verifies(['gates/file'], 'are refused out of their ranges, and when two have one id', () => {
    for (const wrong of [
      { id: 'Plan' },
      { id: 'x'.repeat(41) },
      { message: 'x'.repeat(2001) },
      { show: Array.from({ length: 21 }, () => 'a') },
      { timeoutSeconds: 59 },
      { timeoutSeconds: 2_592_001 },
      { onReject: 'redo' },
      { onReject: { redoFrom: 'a', times: 11 } },
      { noteFile: '' },
    ])
      expect(problemsIn({ before: 'a', ...wrong }), JSON.stringify(wrong)).toHaveLength(1)
    expect(problemsIn({ before: 'a' }, { id: 'before-a', after: 'b' }).join()).toContain(
      'Two gates are called "before-a"',
    )
  })
})

test('a gate without an id is called by its place', () => {
  expect(gateIdOf({ before: 'draft' })).toBe('before-draft')
  expect(gateIdOf({ after: 'Review#1' })).toBe('after-review-1')
  expect(gateIdOf({ id: 'x', after: 'b' })).toBe('x')
})
