import { expect, test } from 'vitest'
import { schemaExample } from '../../src/model-server/schema-example.ts'

test.each([
  [{ type: 'string' }, 'rehearsal'],
  [{ type: 'STRING' }, 'rehearsal'],
  [{ type: ['string', 'null'], minLength: 12 }, 'rehearsal...'],
  [{ type: 'integer', minimum: 2.5 }, 3],
  [{ type: 'number' }, 0],
  [{ type: 'boolean' }, false],
  [{ type: 'null' }, null],
  [{ enum: ['yes', 'no'] }, 'yes'],
  [{ const: 7 }, 7],
  [{ type: 'string', default: 'x' }, 'x'],
  [{ anyOf: [{ type: 'number' }, { type: 'string' }] }, 0],
  [{ type: 'array', items: { type: 'boolean' } }, []],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [false, false]],
  [{ properties: { a: { type: 'string' } } }, { a: 'rehearsal' }],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': { const: 1 } } }, { a: 1 }],
  [{}, 'rehearsal'],
  [undefined, null],
  [true, null],
])('gives the plainest value for %j', (schema, value) => {
  expect(schemaExample(schema)).toEqual(value)
})

test('comes to an end with a schema that points at itself', () => {
  const schema = { type: 'object', properties: { next: { $ref: '#' } } }
  expect(JSON.stringify(schemaExample(schema))).toContain('null')
})
