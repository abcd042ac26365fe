import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { threadTime } from '../../../../test/support/thread-time.ts'
import { formatProblem, parseJsonSource, type ShapeOptions, shapeProblems } from '../../src/kit/index.ts'

const step = z.strictObject({
  type: z.literal('step').optional(),
  id: z.string().min(1),
  file: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  mode: z.enum(['fresh', 'continue']).default('fresh').optional(),
  limit: z
    .strictObject({ dollars: z.number().positive().optional(), tries: z.int().min(1).max(10).optional() })
    .optional(),
  env: z.record(z.string().min(1), z.string()).optional(),
})
const group = z.strictObject({
  type: z.literal('group'),
  until: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('count'), count: z.int().positive() }),
    z.strictObject({ type: z.literal('full') }),
  ]),
  steps: z.array(step).min(1),
})
const schema = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  on: z.boolean().optional(),
  name: z.string().optional(),
  tags: z.array(z.string()).optional(),
  items: z.array(z.union([step, group])).optional(),
  ratio: z.number().max(1).optional(),
  custom: z
    .string()
    .refine(text => text !== 'bad', 'must not be bad')
    .optional(),
})

function problemsOf(
  text: string,
  options: ShapeOptions<'t'> = { family: 't', schema },
  shape: z.ZodType = schema,
): readonly string[] {
  const source = parseJsonSource(text, { file: 'f' })
  if (!source.ok) throw new Error('not JSON')
  const checked = shape.safeParse(source.value)
  if (checked.success) throw new Error('accepted')
  return shapeProblems(checked.error, source, options).map(formatProblem)
}

describe('the problems of a shape', () => {
  it.each<[string, ...string[]]>([
    ['{"port": "80"}', 'f:1:10: error: port: expected a whole number from 0 to 65535, found "80"'],
    ['{"port": 1.5}', 'f:1:10: error: port: expected a whole number from 0 to 65535, found 1.5'],
    ['{"port": 1e300}', 'f:1:10: error: port: expected a whole number from 0 to 65535, found 1e+300'],
    ['{"ratio": 2}', 'f:1:11: error: ratio: expected a number of at most 1, found 2'],
    ['{"on": "true"}', 'f:1:8: error: on: expected true or false, found "true"'],
    ['{"name": null}', 'f:1:10: error: name: expected a string, found null'],
    ['{"tags": ["a", {}]}', 'f:1:16: error: tags[1]: expected a string, found an object'],
    ['{"tags": "a"}', 'f:1:10: error: tags: expected a list of strings, found "a"'],
    ['[]', 'f:1:1: error: expected an object, found an empty list'],
    [
      '{"items": [{"id": ""}]}',
      'f:1:19: error: items[0].id: expected a non-empty string, found an empty string',
    ],
    ['{"items": [{}]}', 'f:1:12: error: items[0].id: is missing; expected a non-empty string'],
    [
      '{"items": [{"id": "a", "file": 5}]}',
      'f:1:32: error: items[0].file: expected a non-empty string or a non-empty list of strings, found 5',
    ],
    [
      '{"items": [{"id": "a", "file": ["x", 5]}]}',
      'f:1:38: error: items[0].file[1]: expected a non-empty string, found 5',
    ],
    [
      '{"items": [{"id": "a", "mode": "frsh"}]}',
      'f:1:32: error: items[0].mode: expected one of "fresh", "continue", found "frsh". Did you mean "fresh"?',
    ],
    [
      '{"items": [{"id": "a", "limit": {"dollars": 0, "tries": 11}}]}',
      'f:1:45: error: items[0].limit.dollars: expected a number above 0, found 0',
      'f:1:57: error: items[0].limit.tries: expected a whole number from 1 to 10, found 11',
    ],
    [
      '{"items": [{"id": "a", "env": {"": "x"}}]}',
      'f:1:32: error: items[0].env[""]: an empty string is not a valid key here',
    ],
    [
      '{"items": [{"id": "a", "env": {"A": 1}}]}',
      'f:1:37: error: items[0].env.A: expected a string, found 1',
    ],
    ['{"custom": "bad"}', 'f:1:12: error: custom: must not be bad'],
    [
      '{"items": [{"type": "group", "steps": [{"id": 1}], "until": {"type": "counts"}}]}',
      'f:1:47: error: items[0].steps[0].id: expected a non-empty string, found 1',
      'f:1:70: error: items[0].until.type: expected one of "count", "full", found "counts". Did you mean "count"?',
    ],
    [
      '{"items": [{"type": "grup", "id": "a"}]}',
      'f:1:21: error: items[0].type: expected one of "step", "group", found "grup". Did you mean "group"?',
    ],
  ])('of %s', (text, ...problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  it('name an unknown key at its place, what may have been meant, and what is valid there', () => {
    const rest = 'Valid fields here: port, on, name, tags, items, ratio, custom'
    expect(problemsOf('{"a": 1,\n "prot": 2,\n "__proto__": 3}')).toEqual([
      `f:1:2: error: Unknown field a. ${rest}`,
      `f:2:2: error: Unknown field prot. Did you mean port? ${rest}`,
      `f:3:2: error: Unknown field __proto__. ${rest}`,
    ])
    expect(
      problemsOf('{"items": [{"type": "group", "step": [], "until": {"type": "full", "count": 1}}]}'),
    ).toEqual([
      'f:1:12: error: items[0].steps: is missing; expected a non-empty list of objects',
      'f:1:30: error: items[0]: Unknown field step. Did you mean steps? Valid fields here: type, until, steps',
      'f:1:68: error: items[0].until: Unknown field count. Valid fields here: type',
    ])
  })

  it('let the caller speak about an unknown key', () => {
    const asked: unknown[] = []
    const options: ShapeOptions<'t'> = {
      family: 't',
      schema,
      unknownKey(path, key, valid) {
        asked.push([path, key, valid])
        return key === 'a' ? { message: 'no a', meant: [] } : undefined
      },
    }
    expect(problemsOf('{"items": [{"id": "x", "limit": {"a": 1, "b": 2}}]}', options)).toEqual([
      'f:1:34: error: items[0].limit: no a',
      'f:1:42: error: items[0].limit: Unknown field b. Valid fields here: dollars, tries',
    ])
    expect(asked).toEqual([
      [['items', 0, 'limit'], 'a', ['dollars', 'tries']],
      [['items', 0, 'limit'], 'b', ['dollars', 'tries']],
    ])
  })

  it('are about a part of the document when only that was checked', () => {
    const source = parseJsonSource('{"items": [{"id": "x"},\n {"id": 5, "x": 1}]}', { file: 'f' })
    if (!source.ok) throw new Error('not JSON')
    const checked = step.safeParse({ id: 5, x: 1 })
    if (checked.success) throw new Error('accepted')
    expect(
      shapeProblems(checked.error, source, { family: 't', schema: step, base: ['items', 1] }).map(
        formatProblem,
      ),
    ).toEqual([
      'f:2:9: error: items[1].id: expected a non-empty string, found 5',
      'f:2:12: error: items[1]: Unknown field x. Valid fields here: type, id, file, mode, limit, env',
    ])
  })

  it('do without places and without a schema', () => {
    const value = { port: 70_000, on: 1, x: 1, items: [{ id: '', mode: 'a' }] }
    const checked = schema.safeParse(value)
    if (checked.success) throw new Error('accepted')
    const error = (code: string, where: string, message: string) => ({
      severity: 'error',
      code: `t/${code}`,
      where,
      message,
    })
    expect(shapeProblems(checked.error, { value }, { family: 't' })).toEqual([
      error('range', 'port', 'expected at most 65535, found 70000'),
      error('type', 'on', 'expected boolean, found 1'),
      error('range', 'items[0].id', 'expected at least 1, found an empty string'),
      error('enum', 'items[0].mode', 'expected one of "fresh", "continue", found "a"'),
      error('unknown-field', '', 'Unknown field x.'),
    ])
  })

  it('can have a word of advice, about a wrong value or a missing one', () => {
    const asked: unknown[] = []
    const advice = (path: readonly PropertyKey[]) => {
      asked.push(path)
      return path.at(-1) === 'port' ? 'Write 80.' : path.at(-1) === 'id' ? 'Write an id.' : undefined
    }
    expect(
      problemsOf('{"port": "x", "on": 1, "items": [{"mode": "freh"}]}', { family: 't', schema, advice }),
    ).toEqual([
      'f:1:10: error: port: expected a whole number from 0 to 65535, found "x". Write 80.',
      'f:1:21: error: on: expected true or false, found 1',
      'f:1:34: error: items[0].id: is missing; expected a non-empty string. Write an id.',
      'f:1:43: error: items[0].mode: expected one of "fresh", "continue", found "freh". Did you mean "fresh"?',
    ])
    expect(asked).toContainEqual(['items', 0, 'mode'])
  })

  it('are not more than a person can read, and quick to make', () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}": 1`)
    const start = threadTime()
    const problems = problemsOf(`{${keys.join(',')}}`)
    expect(threadTime() - start).toBeLessThan(5_000)
    expect(problems).toHaveLength(201)
    expect(problems.at(-1)).toBe('error: … and 99800 more problems')
    const [long] = problemsOf(`{"${'x'.repeat(1_000_000)}": 1}`)
    expect(long?.length).toBeLessThan(250)
  })
})
