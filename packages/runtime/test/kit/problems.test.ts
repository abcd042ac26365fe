import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  collector,
  errorsOf,
  formatProblem,
  hasErrors,
  type Problem,
  sortProblems,
  warningsOf,
} from '../../src/kit/index.ts'

const error: Problem = { severity: 'error', code: 'step/missing', where: 'steps[0]', message: 'is missing' }
const warning: Problem = { severity: 'warning', code: 'step/odd', where: '', message: 'is odd' }

describe('problems', () => {
  it('are collected in order, with their place when there is one', () => {
    const problems = collector()
    const place = { file: 'a.json', line: 3, column: 7 }
    const end = { ...place, column: 9 }
    problems.error('step/missing', 'steps[0]', 'is missing')
    problems.warning('step/odd', { where: '', place, end }, 'is odd')
    problems.add([error])
    expect(problems.all()).toEqual([error, { ...warning, place, end }, error])
  })

  it('are told apart by severity', () => {
    expect(errorsOf([warning, error])).toEqual([error])
    expect(warningsOf([warning, error])).toEqual([warning])
    expect([hasErrors([]), hasErrors([warning]), hasErrors([warning, error])]).toEqual([false, false, true])
  })

  it('are sorted by file, line and column, the ones without a place last, and otherwise keep their order', () => {
    const at = (message: string, file: string, line: number, column: number): Problem => ({
      ...error,
      message,
      place: { file, line, column },
    })
    const sorted = sortProblems([
      { ...error, message: '5' },
      at('4', 'b', 1, 1),
      at('1', 'a', 2, 9),
      at('3', 'a', 10, 1),
      at('2', 'a', 2, 10),
      { ...warning, message: '6' },
      at('4 again', 'b', 1, 1),
    ])
    expect(sorted.map(problem => problem.message)).toEqual(['1', '2', '3', '4', '4 again', '5', '6'])
  })

  it.each<[string, Problem]>([
    ['error: steps[0]: is missing', error],
    ['warning: is odd', warning],
    ['a.json:3:7: error: steps[0]: is missing', { ...error, place: { file: 'a.json', line: 3, column: 7 } }],
    ['error: steps[0]: two lines', { ...error, message: 'two\r\n  lines\n' }],
  ])('are written as "%s"', (text, problem) => {
    expect(formatProblem(problem)).toBe(text)
  })

  it('are always one line', () => {
    const character = fc.constantFrom('a', ' ', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029')
    fc.assert(
      fc.property(fc.string({ unit: character }), message => {
        expect(formatProblem({ ...error, message })).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/)
      }),
    )
  })
})
