import { z } from 'zod'

/**
 * Writes a schema down the way the specification does: `codonId`, `failureReason?`, `'a' | 'b'`, `string[]`. A pin is
 * then a line that can be held against a line of the specification.
 */

type JsonSchema = z.core.JSONSchema.JSONSchema
type Node = JsonSchema | boolean

/** Field → type, a `?` behind the names of optional fields. */
export type Fields = Readonly<Record<string, string>>

export function fieldsOf(schema: z.ZodType): Fields {
  return Object.fromEntries(fieldEntries(jsonSchemaOf(schema)))
}

export function shapeOf(schema: z.ZodType): string {
  return written(jsonSchemaOf(schema))
}

/** The members of a union on `tag`, by the value of the tag. */
export function variantsOf(schema: z.ZodType, tag: string): Readonly<Record<string, Fields>> {
  const { oneOf = [] } = jsonSchemaOf(schema)
  return Object.fromEntries(
    oneOf.map(member => {
      const { [tag]: name = '', ...rest } = Object.fromEntries(fieldEntries(member))
      return [name.slice(1, -1), rest]
    }),
  )
}

/** What a sender may write, so that a field with a default is optional. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const whole = z.toJSONSchema(schema, { io: 'input' })
  const self = /^#\/\$defs\/(\w+)$/.exec(whole.$ref ?? '')?.[1]
  return self === undefined ? whole : (whole.$defs?.[self] as JsonSchema)
}

function fieldEntries(node: Node): [string, string][] {
  if (typeof node === 'boolean') return []
  const required = new Set(node.required)
  return Object.entries(node.properties ?? {}).map(([name, field]) => [
    required.has(name) ? name : `${name}?`,
    written(field),
  ])
}

function written(node: Node): string {
  if (typeof node === 'boolean') return 'unknown'
  if (node.$ref !== undefined) return node.$ref.split('/').at(-1) ?? ''
  if (node.const !== undefined) return literal(node.const)
  if (node.enum !== undefined) return node.enum.map(literal).join(' | ')
  const members = node.oneOf ?? node.anyOf
  if (members !== undefined) return members.map(written).join(' | ')
  return writtenType(node)
}

function writtenType(node: JsonSchema): string {
  switch (node.type) {
    case 'string':
      return node.format === 'date-time' ? 'time' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return listOf(written(node.items as Node))
    case 'object':
      return node.properties === undefined ? mapOf(node) : writtenObject(node)
    default:
      return [node.type ?? 'unknown'].flat().join(' | ')
  }
}

function writtenObject(node: JsonSchema): string {
  const inside = fieldEntries(node).map(([name, type]) => `${name}: ${type}`)
  return inside.length === 0 ? '{}' : `{ ${inside.join(', ')} }`
}

function mapOf(node: JsonSchema): string {
  const keys = node.propertyNames === undefined ? 'string' : written(node.propertyNames)
  const values = written(node.additionalProperties ?? true)
  return keys === 'string' && values === 'unknown' ? 'map' : `map of ${keys} to ${values}`
}

function listOf(item: string): string {
  return /^[\w]+$/.test(item) ? `${item}[]` : `(${item})[]`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}
