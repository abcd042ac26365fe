/**
 * The part of JSON Schema that the pages show. A schema that has a name of its own (a value that several messages
 * share) carries it as `title` and is shown as a link.
 */
export interface Shape {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly oneOf?: readonly Shape[]
  readonly anyOf?: readonly Shape[]
  readonly propertyNames?: Shape
  readonly additionalProperties?: Shape | boolean
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Shape>>
}

/** What a zod schema can do here; the root of the repository has no zod of its own. */
export interface Schema {
  toJSONSchema(options: {
    readonly io: 'input' | 'output'
    readonly override: (context: { zodSchema: object; jsonSchema: { title?: string } }) => void
  }): unknown
}

/** Knows the names of shared values, and turns schemas into shapes that mention them. */
export interface Shapes {
  readonly of: (schema: Schema) => Shape
  readonly named: ReadonlyMap<string, Shape>
}

export function shapesOf(...modules: readonly object[]): Shapes {
  const names = new Map<object, string>()
  for (const [name, value] of modules.flatMap(module => Object.entries(module))) {
    if (isSchema(value) && deservesName(shapeOf(value, new Map()))) names.set(value, capitalized(name))
  }
  const schemas = [...names.keys()].filter(isSchema)
  return {
    of: schema => shapeOf(schema, names),
    named: new Map(schemas.map(schema => [names.get(schema) ?? '', shapeOf(schema, names)])),
  }
}

function shapeOf(schema: Schema, names: ReadonlyMap<object, string>): Shape {
  const shape = schema.toJSONSchema({
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const name = names.get(zodSchema)
      if (name !== undefined) jsonSchema.title = name
    },
  }) as Shape
  const own = shape.$ref === undefined ? undefined : shape.$defs?.[nameIn(shape.$ref)]
  return own ?? shape
}

export function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

function deservesName(shape: Shape): boolean {
  return Boolean(shape.properties ?? shape.oneOf ?? shape.enum)
}

function isSchema(value: unknown): value is Schema & object {
  return typeof value === 'object' && value !== null && 'toJSONSchema' in value
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
