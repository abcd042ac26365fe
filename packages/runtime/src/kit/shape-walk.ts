import type { z } from 'zod'
import { isObject, type JsonPath, valueAt } from './json-fields.ts'

export type Schema = z.core.$ZodType

/** What a schema is made of: the one place that looks behind zod's types. */
export function defOf(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.core.$ZodTypes)._zod.def
}

/**
 * The parts of a schema that may describe what lies at a path. Of alternatives with fixed words (`type: 'loop'`) only those
 * count that the value has chosen.
 */
export function schemasAt(schema: Schema, value: unknown, path: JsonPath): readonly Schema[] {
  let schemas: readonly Schema[] = [schema]
  let here = value
  for (const step of path) {
    schemas = schemas.flatMap(each => alternativesFor(each, here)).flatMap(each => stepInto(each, step))
    here = valueAt(here, [step])
  }
  return schemas
}

export function keysOf(schema: Schema, value: unknown): readonly string[] {
  return alternativesFor(schema, value).flatMap(alternative => {
    const def = defOf(alternative)
    return def.type === 'object' ? Object.keys(def.shape) : []
  })
}

/** Of unions in it too; any other schema is its own only member. */
export function membersOf(schema: Schema): readonly Schema[] {
  const plain = unwrapped(schema)
  const def = defOf(plain)
  if (def.type === 'nullable') return membersOf(def.innerType)
  return def.type === 'union' ? def.options.flatMap(membersOf) : [plain]
}

/** When it is nothing but a choice among them. */
export function fixedValues(schema: Schema): readonly unknown[] {
  const def = defOf(schema)
  if (def.type === 'literal') return def.values
  return def.type === 'enum' ? Object.values(def.entries) : []
}

/** Whether a value has the shape. */
export function takesValue(schema: Schema, value: unknown): boolean {
  const result = schema._zod.run({ value, issues: [] }, { async: false })
  return 'issues' in result && result.issues.length === 0
}

/** Without optional, default and their like. A union stays one. */
function unwrapped(schema: Schema): Schema {
  const def = defOf(schema)
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

function alternativesFor(schema: Schema, value: unknown): readonly Schema[] {
  const members = membersOf(schema)
  const chosen = members.filter(member => fits(member, value))
  return chosen.length > 0 ? chosen : members
}

function fits(schema: Schema, value: unknown): boolean {
  const def = defOf(schema)
  if (def.type === 'array') return Array.isArray(value)
  if (def.type !== 'object') return true
  if (!isObject(value)) return false
  return Object.entries(def.shape).every(([key, field]) => {
    const fixed = defOf(unwrapped(field))
    if (fixed.type !== 'literal' || !Object.hasOwn(value, key)) return true
    return fixed.values.some(word => word === value[key])
  })
}

function stepInto(schema: Schema, step: PropertyKey): readonly Schema[] {
  const def = defOf(schema)
  if (def.type === 'record') return [def.valueType]
  if (def.type === 'array') return [def.element]
  if (def.type !== 'object' || typeof step !== 'string' || !Object.hasOwn(def.shape, step)) return []
  return def.shape[step] ? [def.shape[step]] : []
}
