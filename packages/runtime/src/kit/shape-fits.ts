import { isObject, type JsonObject } from './json-fields.ts'

export type JsonShape = JsonObject

type Fits = (value: unknown) => boolean

/**
 * A quick test made from a JSON Schema: a yes can be relied on, a no means: look closer. So a schema with an unknown word
 * fits nothing, nor one that takes anything, nor an object with a key `__proto__` or more than `maxKeys` keys.
 */
export function shapeFits(schema: JsonShape, { maxKeys }: { readonly maxKeys: number }): Fits {
  const make = (part: unknown): Fits => (isObject(part) && hasKnownWords(part) ? testOf(part) : nothing)
  const testOf = (part: JsonShape): Fits => {
    const alternatives = part['anyOf'] ?? part['oneOf']
    if (Array.isArray(alternatives)) {
      const tests = alternatives.map(make)
      return value => tests.some(fits => fits(value))
    }
    switch (part['type']) {
      case 'string':
        return stringTest(part)
      case 'number':
      case 'integer':
        return numberTest(part)
      case 'boolean':
        return value => typeof value === 'boolean'
      case 'array':
        return arrayTest(part, make(part['items']))
      case 'object':
        return objectTest(part, make, maxKeys)
      default:
        return nothing
    }
  }
  return make(schema)
}

const nothing: Fits = () => false

const words = new Set(
  `type anyOf oneOf const enum minLength minimum maximum exclusiveMinimum items minItems
   properties required additionalProperties propertyNames`.split(/\s+/),
)

function hasKnownWords(schema: JsonShape): boolean {
  return Object.keys(schema).every(word => words.has(word))
}

function stringTest(schema: JsonShape): Fits {
  const least = numberOf(schema['minLength'], 0)
  const fixed = 'const' in schema ? [schema['const']] : schema['enum']
  const choices = Array.isArray(fixed) ? new Set<unknown>(fixed) : undefined
  return value =>
    typeof value === 'string' && value.length >= least && (choices === undefined || choices.has(value))
}

function numberTest(schema: JsonShape): Fits {
  const least = numberOf(schema['minimum'], Number.NEGATIVE_INFINITY)
  const above = numberOf(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY)
  const most = numberOf(schema['maximum'], Number.POSITIVE_INFINITY)
  const isNumber = schema['type'] === 'integer' ? Number.isSafeInteger : Number.isFinite
  return value =>
    typeof value === 'number' && isNumber(value) && value >= least && value > above && value <= most
}

function arrayTest(schema: JsonShape, item: Fits): Fits {
  const least = numberOf(schema['minItems'], 0)
  return value => Array.isArray(value) && value.length >= least && value.every(item)
}

function objectTest(schema: JsonShape, make: (part: unknown) => Fits, maxKeys: number): Fits {
  const { properties = {}, required = [], additionalProperties: others = {}, propertyNames } = schema
  if (!isObject(properties) || !Array.isArray(required)) return nothing
  const other = others === false ? undefined : make(others)
  if (other === nothing) return nothing
  const name = propertyNames === undefined ? undefined : make(propertyNames)
  // Made when a value first has the field: most values have few of them.
  const fields = new Map<string, Fits>()
  const fieldTest = (key: string): Fits | undefined => {
    const known = fields.get(key)
    if (known || !Object.hasOwn(properties, key)) return known ?? other
    const made = make(properties[key])
    fields.set(key, made)
    return made
  }
  return value => {
    if (!isObject(value) || !required.every(key => Object.hasOwn(value, String(key)))) return false
    const keys = Object.keys(value)
    if (keys.length > maxKeys) return false
    return keys.every(key => {
      const fits = fieldTest(key)
      return fits?.(value[key]) === true && key !== '__proto__' && (name === undefined || name(key))
    })
  }
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
