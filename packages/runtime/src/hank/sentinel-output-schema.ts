import * as z from 'zod'

type GivenSchema = Parameters<typeof z.fromJSONSchema>[0]

/** What is wrong with the schema of a structured output; undefined when outputs can be compared with it. */
export function outputSchemaFault(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'a JSON Schema must be an object'
  try {
    z.fromJSONSchema(schema as GivenSchema)
    return undefined
  } catch (error) {
    return `the JSON Schema cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
