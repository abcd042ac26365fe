import type { z } from 'zod'
import { shown } from './json-path.ts'
import { membersOf } from './shape-walk.ts'

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
