import type { z } from 'zod'
import { isObject, shown } from './json-fields.ts'
import { defOf, fixedValues, membersOf, type Schema } from './shape-walk.ts'

/** The end of "expected …": `a whole number from 0 to 65535`, `a string or a list of strings`. */
export function expectation(schemas: readonly Schema[]): string {
  const members = schemas.flatMap(membersOf)
  const values = members.flatMap(fixedValues)
  const kinds = members.filter(member => fixedValues(member).length === 0).map(kindOf)
  return [...new Set([...(values.length > 0 ? [oneOf(values)] : []), ...kinds])].join(' or ')
}

/** The end of "found …". */
export function foundWords(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return isObject(value) ? 'an object' : wordOf(value)
}

export function oneOf(values: readonly unknown[]): string {
  const words = [...new Set(values.map(wordOf))]
  return words.length === 1 ? words.join('') : `one of ${words.join(', ')}`
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? shown(value) : String(value)
}

function kindOf(schema: Schema): string {
  const def = defOf(schema)
  const rules = (def.checks ?? []).map(check => (check as unknown as z.core.$ZodChecks)._zod.def)
  const limits = limitsOf(rules)
  const format = 'format' in def ? String(def.format) : ''
  const isFilled = (limits.least ?? 0) > 0
  switch (def.type) {
    case 'string':
      if (format === 'url') return 'a URL'
      return isFilled ? 'a non-empty string' : 'a string'
    case 'number': {
      const formats = [format, ...rules.map(rule => (rule.check === 'number_format' ? rule.format : ''))]
      const isWhole = formats.some(name => name.includes('int'))
      return `${isWhole ? 'a whole number' : 'a number'}${rangeWords(limits)}`
    }
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `${isFilled ? 'a non-empty list' : 'a list'}${plural(def.element)}`
    case 'object':
    case 'record':
      return 'an object'
    default:
      return 'another value'
  }
}

/** ` of strings` for a list of one simple kind, else nothing. */
function plural(element: Schema): string {
  const [kind, ...others] = new Set(membersOf(element).map(member => defOf(member).type))
  if (others.length > 0) return ''
  return kind === 'string' || kind === 'number' || kind === 'object' ? ` of ${kind}s` : ''
}

type Limits = Partial<Record<'above' | 'least' | 'most' | 'below', number>>

function limitsOf(rules: readonly z.core.$ZodChecks['_zod']['def'][]): Limits {
  const limits: Limits = {}
  for (const rule of rules) {
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
