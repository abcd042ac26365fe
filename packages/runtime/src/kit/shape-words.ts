import type { z } from 'zod'
import { type JsonPath, shown } from './json-fields.ts'

/** What a schema asks for, as the end of "expected …": `a whole number from 0 to 65535`, `a string or a list of strings`. */
export function expectation(schemas: readonly z.core.$ZodType[]): string {
  const members = schemas.flatMap(membersOf)
  const values = members.flatMap(fixedValues)
  const kinds = members.filter(member => fixedValues(member).length === 0).map(kindOf)
  return [...new Set([...(values.length > 0 ? [oneOf(values)] : []), ...kinds])].join(' or ')
}

/** The values that are written out in a schema, when it is nothing but a choice among them. */
export function fixedValues(schema: z.core.$ZodType): readonly unknown[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'literal') return def.values
  return def.type === 'enum' ? Object.values(def.entries) : []
}

/** What is there, as the end of "found …". */
export function foundWords(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return wordOf(value)
}

export function oneOf(values: readonly unknown[]): string {
  const words = [...new Set(values.map(wordOf))]
  return words.length === 1 ? words.join('') : `one of ${words.join(', ')}`
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? shown(value) : String(value)
}

function kindOf(schema: z.core.$ZodType): string {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const limits = limitsOf(def.checks ?? [])
  switch (def.type) {
    case 'string':
      return stringWords(schema, limits)
    case 'number':
      return `${isWhole(schema) ? 'a whole number' : 'a number'}${rangeWords(limits)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `${(limits.least ?? 0) > 0 ? 'a non-empty list' : 'a list'}${plural(def.element)}`
    case 'object':
    case 'record':
      return 'an object'
    default:
      return 'another value'
  }
}

function stringWords(schema: z.core.$ZodType, { least }: Limits): string {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if ('format' in def && def.format === 'url') return 'a URL'
  return (least ?? 0) > 0 ? 'a non-empty string' : 'a string'
}

/** ` of strings` for a list of one simple kind, else nothing. */
function plural(element: z.core.$ZodType): string {
  const kinds = new Set(membersOf(element).map(member => (member as z.core.$ZodTypes)._zod.def.type))
  const [kind, ...others] = kinds
  if (others.length > 0) return ''
  return kind === 'string' || kind === 'number' || kind === 'object' ? ` of ${kind}s` : ''
}

function isWhole(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if ('format' in def && String(def.format).includes('int')) return true
  return (def.checks ?? []).some(check => {
    const rule = (check as z.core.$ZodChecks)._zod.def
    return rule.check === 'number_format' && rule.format.includes('int')
  })
}

interface Limits {
  readonly above?: number
  readonly least?: number
  readonly most?: number
  readonly below?: number
}

function limitsOf(checks: readonly z.core.$ZodCheck<never>[]): Limits {
  const limits: { -readonly [Key in keyof Limits]: Limits[Key] } = {}
  for (const check of checks) {
    const rule = (check as unknown as z.core.$ZodChecks)._zod.def
    if (rule.check === 'greater_than') limits[rule.inclusive ? 'least' : 'above'] = Number(rule.value)
    if (rule.check === 'less_than') limits[rule.inclusive ? 'most' : 'below'] = Number(rule.value)
    if (rule.check === 'min_length') limits.least = rule.minimum
    if (rule.check === 'max_length') limits.most = rule.maximum
  }
  return limits
}

function rangeWords({ above, least, most, below }: Limits): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`
  const lower = above !== undefined ? ` above ${above}` : least !== undefined ? ` of at least ${least}` : ''
  const upper = below !== undefined ? ` below ${below}` : most !== undefined ? ` of at most ${most}` : ''
  return [lower, upper].filter(words => words !== '').join(' and')
}

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
