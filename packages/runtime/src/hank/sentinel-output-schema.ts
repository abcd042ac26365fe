import * as z from 'zod'
import { messageOf } from '../kit/index.ts'

type GivenSchema = Parameters<typeof z.fromJSONSchema>[0]

/** A schema that stands as text in a configuration: JSON and nothing else, it is parsed and never run. */
export function schemaTextFault(text: string): string | undefined {
  try {
    return outputSchemaFault(JSON.parse(text))
  } catch {
    return 'is not JSON. Write a JSON Schema as text; code is never run'
  }
}

/** What is wrong with the schema of a structured output; undefined when outputs can be compared with it. */
export function outputSchemaFault(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'a JSON Schema must be an object'
  try {
    z.fromJSONSchema(schema as GivenSchema)
    return undefined
  } catch (error) {
    return `the JSON Schema cannot be used: ${messageOf(error)}`
  }
}
