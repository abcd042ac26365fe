import { nameIn, type Shape } from './shape.ts'

/** Shapes as Markdown: a table of fields for an object, tables of what is common and what differs for a union. */
export function fieldTables(shape: Shape): readonly string[] {
  if (shape.oneOf) return unionTables(shape.oneOf)
  if (shape.enum) return [`One of ${listed(shape.enum)}.`]
  const fields = Object.entries(shape.properties ?? {})
  if (fields.length === 0) return ['No fields.']
  return [fieldTable(fields, shape.required ?? [])]
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map(cells => `| ${cells.map(prose).join(' | ')} |`.replaceAll('|  |', '| |')).join('\n')
}

/** Text in which `<recording>` is shown as it is written: outside of back-ticks Markdown takes it for a tag of HTML. */
export function prose(text: string): string {
  return text.replace(/(`[^`]*`)|</g, (_, span?: string) => span ?? '&lt;')
}

export function code(text: string): string {
  return `\`${text}\``
}

function fieldTable(fields: readonly [string, Shape][], required: readonly string[]): string {
  return table(
    ['field', 'type', 'required', 'meaning'],
    fields.map(([name, field]) => [
      code(name),
      typeText(field),
      required.includes(name) ? 'yes' : optionalText(field),
      field.description ?? '',
    ]),
  )
}

function unionTables(variants: readonly Shape[]): readonly string[] {
  const tag = tagOf(variants)
  const [first] = variants
  const isShared = (name: string): boolean =>
    name !== tag && variants.every(variant => sameField(variant, first ?? {}, name))
  const shared = Object.entries(first?.properties ?? {}).filter(([name]) => isShared(name))
  const rows = variants.map(variant => {
    const own = Object.entries(variant.properties ?? {}).filter(([name]) => name !== tag && !isShared(name))
    return [
      typeText(variant.properties?.[tag] ?? {}),
      own.map(field => inline(field, variant)).join(', ') || '—',
    ]
  })
  const differing = table([code(tag), shared.length > 0 ? 'further fields' : 'fields'], rows)
  return shared.length > 0 ? [fieldTable(shared, first?.required ?? []), differing] : [differing]
}

/** The field that tells the variants of a union apart. */
function tagOf(variants: readonly Shape[]): string {
  const names = Object.keys(variants[0]?.properties ?? {})
  const valuesOf = (name: string): readonly unknown[] =>
    variants.map(variant => variant.properties?.[name]?.const).filter(value => value !== undefined)
  return names.find(name => new Set(valuesOf(name)).size === variants.length) ?? ''
}

function sameField(a: Shape, b: Shape, name: string): boolean {
  const described = (shape: Shape): string =>
    JSON.stringify([shape.properties?.[name], shape.required?.includes(name)])
  return a.properties?.[name] !== undefined && described(a) === described(b)
}

function inline([name, field]: readonly [string, Shape], parent: Shape): string {
  const optional = parent.required?.includes(name) ? '' : ', optional'
  return `${code(name)} (${typeText(field)}${optional})`
}

function optionalText(field: Shape): string {
  return field.default === undefined ? 'no' : `no; default ${code(JSON.stringify(field.default))}`
}

function typeText(shape: Shape): string {
  if (shape.$ref !== undefined) return link(nameIn(shape.$ref))
  if (shape.title !== undefined) return link(shape.title)
  if (shape.const !== undefined) return listed([shape.const])
  if (shape.enum) return shape.enum.length > 8 ? `one of ${shape.enum.length} words` : listed(shape.enum)
  const variants = shape.oneOf ?? shape.anyOf
  if (variants) return variants.map(typeText).join(' or ')
  if (shape.items) return `list of ${typeText(shape.items)}`
  if (shape.properties) return objectText(shape)
  if (typeof shape.additionalProperties === 'object') return mapText(shape)
  return scalarText(shape)
}

function objectText(shape: Shape): string {
  const fields = Object.entries(shape.properties ?? {}).map(field => inline(field, shape))
  return `object of ${fields.join(', ')}`
}

function mapText(shape: Shape): string {
  const key = shape.propertyNames?.title === undefined ? 'text' : link(shape.propertyNames.title)
  const value =
    typeof shape.additionalProperties === 'object' ? typeText(shape.additionalProperties) : 'anything'
  return value === 'anything' ? 'object' : `map of ${key} to ${value}`
}

const scalarNames: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'whole number',
  number: 'number',
  null: 'null',
}

function scalarText({ type, format, pattern, minimum, exclusiveMinimum }: Shape): string {
  if (type === undefined) return 'anything'
  if (typeof type !== 'string') return type.map(name => scalarNames[name] ?? name).join(' or ')
  if (format === 'date-time') return 'time'
  if (pattern !== undefined) return `text like ${code(pattern.replaceAll('|', '\\|'))}`
  const name = scalarNames[type] ?? type
  if (exclusiveMinimum !== undefined) return `${name} > ${exclusiveMinimum}`
  return minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? name : `${name} ≥ ${minimum}`
}

function listed(values: readonly unknown[]): string {
  return values.map(value => code(String(value))).join(', ')
}

function link(name: string): string {
  return `[${name}](#${name.toLowerCase()})`
}
