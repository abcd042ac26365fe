import { fieldOf, isObject, type JsonObject, listOf } from '../kit/index.ts'
import { keys, text } from './json.ts'

/** Schemas may point at themselves; below this everything is null. */
const deepest = 12

/**
 * The plainest value that a JSON Schema allows, as far as types, properties, enumerations, choices, lower limits and
 * references within the schema go. What else it demands is not looked at.
 */
export function schemaExample(schema: unknown): unknown {
  return example(schema, { root: schema, depth: 0 })
}

interface Place {
  readonly root: unknown
  readonly depth: number
}

function example(schema: unknown, { root, depth }: Place): unknown {
  if (depth > deepest || !isObject(schema)) return null
  const place = { root, depth: depth + 1 }
  if (Object.hasOwn(schema, 'const')) return schema['const']
  if (Object.hasOwn(schema, 'default')) return schema['default']
  const [first] = listOf(schema['enum'])
  if (first !== undefined) return first
  if (typeof schema['$ref'] === 'string') return example(referred(root, schema['$ref']), place)
  const [choice] = [...listOf(schema['anyOf']), ...listOf(schema['oneOf']), ...listOf(schema['allOf'])]
  if (choice !== undefined) return example(choice, place)
  return examples[typeOf(schema)](schema, place)
}

type TypeName = keyof typeof examples

const examples = {
  object: (schema: unknown, place: Place): unknown => {
    const properties = fieldOf(schema, 'properties')
    return Object.fromEntries(keys(properties).map(key => [key, example(fieldOf(properties, key), place)]))
  },
  array: (schema: unknown, place: Place): unknown =>
    Array.from({ length: Math.min(atLeast(schema, 'minItems'), 100) }, () =>
      example(fieldOf(schema, 'items'), place),
    ),
  string: (schema: unknown): unknown =>
    'rehearsal'.padEnd(Math.min(atLeast(schema, 'minLength'), 10_000), '.'),
  number: (schema: unknown): unknown => atLeast(schema, 'minimum'),
  integer: (schema: unknown): unknown => Math.ceil(atLeast(schema, 'minimum')),
  boolean: (): unknown => false,
  null: (): unknown => null,
}

/** One dialect writes types in capitals. */
function typeOf(schema: JsonObject): TypeName {
  const [named = schema['type']] = listOf(schema['type'])
  const type = text(named).toLowerCase()
  if (isKnown(type)) return type
  return Object.hasOwn(schema, 'properties') ? 'object' : 'string'
}

function isKnown(type: string): type is TypeName {
  return Object.hasOwn(examples, type)
}

function atLeast(schema: unknown, limit: string): number {
  const value = fieldOf(schema, limit)
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** `#/a/b` within the schema. */
function referred(root: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return steps.reduce((value, step) => fieldOf(value, step.replaceAll('~1', '/').replaceAll('~0', '~')), root)
}
