import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type JsonShape, shapeFits } from '../../src/kit/index.ts'

const schema = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(['a', 'b']).default('a').optional(),
  size: z.int().min(1).max(10).optional(),
  price: z.number().positive().optional(),
  rate: z.number().min(0).optional(),
  on: z.boolean().optional(),
  tags: z.array(z.string().min(1)).min(1).optional(),
  files: z.union([z.string().min(1), z.array(z.string())]).optional(),
  env: z.record(z.string().min(1), z.string()).optional(),
  until: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('limit'), limit: z.int().min(1) }),
      z.strictObject({ type: z.literal('full') }),
    ])
    .optional(),
})
const shape = shapeOf(schema)
const fits = shapeFits(shape, { maxKeys: 100 })

function shapeOf(from: z.ZodType): JsonShape {
  const { $schema: _, ...rest } = from.toJSONSchema({
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.default
    },
  })
  return rest
}

describe('a quick test made from a schema', () => {
  const leaf = fc.constantFrom<unknown>(
    '',
    'a',
    'x',
    'limit',
    'full',
    0,
    1,
    0.5,
    -1,
    11,
    1e300,
    true,
    null,
    [],
    ['a'],
    [''],
    {},
  )
  const inner = fc.dictionary(fc.constantFrom('type', 'limit', 'a', '', 'x'), leaf, { maxKeys: 3 })
  const keys = Object.keys(schema.shape)
  const value = fc.dictionary(fc.constantFrom(...keys, 'other'), fc.oneof(leaf, inner), { maxKeys: 4 })

  it('says what the schema says, for any value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          value.map(some => ({ name: 'n', ...some })),
          leaf,
        ),
        some => {
          expect(fits(some)).toBe(schema.safeParse(some).success)
        },
      ),
      { numRuns: 5_000 },
    )
  })

  it.each([
    [
      {
        name: 'x',
        kind: 'b',
        size: 1,
        price: 0.1,
        rate: 0,
        on: false,
        tags: ['x'],
        files: [],
        env: { a: '' },
      },
      true,
    ],
    [{ name: 'x', until: { type: 'limit', limit: 1 } }, true],
    [{ name: 'x', until: { type: 'full', limit: 1 } }, false],
    [{ name: 'x', size: 2 ** 53 }, false],
    [{ name: 'x', price: Number.POSITIVE_INFINITY }, false],
    [{ name: 'x', constructor: 1 }, false],
    [{ name: 'x', env: { constructor: 'x' } }, true],
    [JSON.parse('{"name": "x", "env": {"__proto__": "x"}}'), false],
    [{ name: 'x', env: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, ''])) }, false],
  ])('of %j says %j', (some, expected) => {
    expect(fits(some)).toBe(expected)
  })

  it.each<[string, JsonShape]>([
    ['a word that it does not know', { type: 'string', pattern: '^a' }],
    ['such a word deep inside', { type: 'object', properties: { a: { type: 'string', format: 'uri' } } }],
    ['a kind that it does not know', { type: 'null' }],
    ['no word at all', {}],
    ['a map of anything', { type: 'object', additionalProperties: {} }],
    ['items of any kind', { type: 'array' }],
  ])('fits nothing with %s', (_, odd) => {
    const test = shapeFits(odd, { maxKeys: 10 })
    for (const some of ['a', null, { a: 'x' }, ['x']]) expect(test(some)).toBe(false)
  })
})
