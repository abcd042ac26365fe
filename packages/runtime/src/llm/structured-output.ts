import type { JSONSchema7, Output } from 'ai'
import { isObject, type Result } from '../kit/index.ts'
import type { Schema, StructuredOutput } from './completion.ts'

interface Shape {
  readonly output: Output.Output<unknown, unknown, unknown>
  readonly providerOptions: { readonly openai: { readonly strictJsonSchema: boolean } }
}

const wholeSchemas = ['$schema', '$defs', 'definitions'] as const

/**
 * How the shape is asked for. Providers want an object at the top, so a list and a word travel inside one. The library
 * parses the answer and does not compare it with the schema: that is the business of `check`.
 */
export async function outputFor(wanted: StructuredOutput): Promise<Shape> {
  const { Output, jsonSchema } = await import('ai')
  const { name, description } = wanted
  const schema = schemaFor(wanted)
  return {
    output: Output.object({
      schema: jsonSchema(schema as JSONSchema7),
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    }),
    providerOptions: { openai: { strictJsonSchema: isStrict(schema) } },
  }
}

export type Unwrapped = Result<{ readonly value: unknown }>

/** What was asked for, taken out of the object around it; some models leave that object out. */
export function unwrap(wanted: StructuredOutput, answer: unknown): Unwrapped {
  if (wanted.kind === 'enum') {
    const word = inside(answer, 'result')
    if (wanted.values.some(value => value === word)) return { ok: true, value: word }
    return { ok: false, message: `it is none of ${wanted.values.join(', ')}` }
  }
  if (wanted.kind === 'object') return { ok: true, value: answer }
  const list = inside(answer, 'elements')
  return Array.isArray(list) ? { ok: true, value: list } : { ok: false, message: 'it is not a list' }
}

function inside(answer: unknown, key: string): unknown {
  return isObject(answer) ? answer[key] : answer
}

function schemaFor(wanted: StructuredOutput): Schema {
  if (wanted.kind === 'enum') return wrapped('result', { type: 'string', enum: [...wanted.values] })
  if (wanted.kind === 'object') return wanted.schema
  // References inside the schema of an item start from the top.
  const top = wholeSchemas.filter(key => Object.hasOwn(wanted.schema, key))
  const item = Object.entries(wanted.schema).filter(([key]) => !wholeSchemas.some(whole => whole === key))
  return {
    ...Object.fromEntries(top.map(key => [key, wanted.schema[key]])),
    ...wrapped('elements', { type: 'array', items: Object.fromEntries(item) }),
  }
}

function wrapped(key: string, schema: Schema): Schema {
  return { type: 'object', properties: { [key]: schema }, required: [key], additionalProperties: false }
}

/** Whether a schema keeps the rules without which OpenAI refuses to enforce it: closed objects, nothing optional. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { properties, required, additionalProperties } = schema
  if (isObject(properties)) {
    const names: readonly unknown[] = Array.isArray(required) ? required : []
    if (additionalProperties !== false) return false
    if (!Object.keys(properties).every(name => names.includes(name))) return false
  }
  return Object.values(schema).every(isStrict)
}
