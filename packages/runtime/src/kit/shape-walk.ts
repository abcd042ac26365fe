import type { z } from 'zod'
import type { JsonPath } from './json-path.ts'

type Schema = z.core.$ZodType
type Known = z.core.$ZodTypes

/**
 * The parts of a schema that may describe what lies at a path of a value. Several, when alternatives on the way are
 * open; of the alternatives with fixed words (`type: 'loop'`) only those count that the value has chosen.
 */
export function schemasAt(schema: Schema, value: unknown, path: JsonPath): readonly Schema[] {
  let schemas: readonly Schema[] = [schema]
  let here = value
  for (const step of path) {
    schemas = schemas.flatMap(each => alternativesFor(each, here)).flatMap(each => stepInto(each, step))
    here =
      typeof here === 'object' && here !== null && Object.hasOwn(here, step)
        ? Reflect.get(here, step)
        : undefined
  }
  return schemas
}

/** The keys that the objects described here may have. */
export function keysOf(schema: Schema, value: unknown): readonly string[] {
  return alternativesFor(schema, value).flatMap(alternative => {
    const { def } = (alternative as Known)._zod
    return def.type === 'object' ? Object.keys(def.shape) : []
  })
}

/** Without the wrappers around it: optional, default and their like. A union stays one. */
function unwrapped(schema: Schema): Schema {
  const { def } = (schema as Known)._zod
  switch (def.type) {
    case 'optional':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
      return unwrapped(def.innerType)
    case 'pipe':
      return unwrapped(def.in)
    case 'lazy':
      return unwrapped(def.getter())
    default:
      return schema
  }
}

/** The members of a union, of unions in it too; any other schema is its own only member. */
export function membersOf(schema: Schema): readonly Schema[] {
  const plain = unwrapped(schema)
  const { def } = (plain as Known)._zod
  if (def.type === 'nullable') return membersOf(def.innerType)
  return def.type === 'union' ? def.options.flatMap(membersOf) : [plain]
}

function alternativesFor(schema: Schema, value: unknown): readonly Schema[] {
  const members = membersOf(schema)
  const chosen = members.filter(member => fits(member, value))
  return chosen.length > 0 ? chosen : members
}

function fits(schema: Schema, value: unknown): boolean {
  const { def } = (schema as Known)._zod
  if (def.type === 'array') return Array.isArray(value)
  if (def.type !== 'object') return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(def.shape).every(([key, field]) => {
    const fixed = (unwrapped(field) as Known)._zod.def
    if (fixed.type !== 'literal' || !Object.hasOwn(value, key)) return true
    const word: unknown = Reflect.get(value, key)
    return fixed.values.some(fixedWord => fixedWord === word)
  })
}

function stepInto(schema: Schema, step: PropertyKey): readonly Schema[] {
  const { def } = (schema as Known)._zod
  switch (def.type) {
    case 'object':
      return typeof step === 'string' && Object.hasOwn(def.shape, step) && def.shape[step]
        ? [def.shape[step]]
        : []
    case 'record':
      return [def.valueType]
    case 'array':
      return [def.element]
    default:
      return []
  }
}
