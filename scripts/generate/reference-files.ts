import { editorSchema, type schemaKinds } from '@weave/runtime'
import { code, fieldTables } from './field-table.ts'
import type { Generated } from './generated.ts'
import type { Shape } from './shape.ts'

/** A page of fields for each kind of file that a person writes; `weave.json` is on the page of settings. */
export const filePages: readonly Generated[] = [
  page('hank', 'The fields of hank.json', [
    'A hank is one file: what it is about (`meta`), what holds for all of it (`overrides`), and the codons and loops in the order in which they run (`hank`). Paths are relative to the folder of the file and may not leave it.',
    'What is checked beyond the shape is in `docs/validate.md`; what limits mean, in `docs/budgets.md`.',
  ]),
  page('sentinel', 'The fields of a sentinel', [
    'A codon names sentinels in `sentinels`, as a file or in place. How they behave is in `docs/sentinels.md`.',
  ]),
  page('notify', 'The fields of notify.json', [
    'Who is told of runs stands in `~/.weave/notify.json`. What they are told is in `docs/notifications.md`.',
  ]),
  page('models', 'The fields of models.json', [
    'More models, and the servers that have them: `~/.weave/models.json`, or the file that `modelsFile` in `weave.json` names. How it is used is in `docs/agents.md`.',
  ]),
  page('rehearsal', 'The fields of rehearsal.json', [
    'What a scripted model answers when a hank is rehearsed. How it is used is in `docs/rehearsal.md`.',
  ]),
]

function page(kind: (typeof schemaKinds)[number], title: string, opening: readonly string[]): Generated {
  return {
    path: `docs/reference/${kind}.md`,
    content: () => {
      const shape = editorSchema(kind, '0.0.0') as Shape
      const note = `Generated from the schema that checks the file, by ${code('npm run generate')}. Do not edit. ${code(`weave schema ${kind}`)} prints it for editors.`
      return `${[`# ${title}`, note, ...opening, ...sections(shape, '', new Map())].join('\n\n')}\n`
    },
  }
}

/** Where a shape was shown first. */
type Seen = Map<string, string>

/** An object, then every object inside it that has a name of its own. What was shown before is not shown again. */
function sections(shape: Shape, path: string, seen: Seen): readonly string[] {
  const key = JSON.stringify(shape.properties)
  const first = seen.get(key)
  if (first !== undefined) return [`## ${code(path)}`, `The same fields as ${code(first)}.`]
  seen.set(key, path)
  const own = path === '' ? [] : [`## ${code(path)}`]
  if (shape.description !== undefined && path !== '') own.push(shape.description)
  const below = Object.entries(shape.properties ?? {}).flatMap(([name, field]) =>
    nested(field, path === '' ? name : `${path}.${name}`, seen),
  )
  return [...own, ...fieldTables(linked(shape, path)), ...below]
}

function nested(field: Shape, path: string, seen: Seen): readonly string[] {
  if (field.items) return nested(field.items, `${path}[]`, seen)
  if (typeof field.additionalProperties === 'object')
    return nested(field.additionalProperties, `${path}.*`, seen)
  const variants = (field.anyOf ?? field.oneOf ?? []).flatMap(variant =>
    variant.items ? [variant.items] : [variant],
  )
  const objects = variants.filter(({ properties }) => properties)
  if (objects.length > 0)
    return objects.flatMap((variant, at) =>
      sections(variant, objects.length === 1 ? path : `${path} (${nameOf(variant, at)})`, seen),
    )
  return field.properties ? sections(field, path, seen) : []
}

/** What tells one variant of several: the word it is marked with, or the field that only it has. */
function nameOf({ properties = {}, required = [] }: Shape, at: number): string {
  const mark = Object.values(properties).find(({ const: value }) => typeof value === 'string')?.const
  return typeof mark === 'string' ? mark : (required.at(-1) ?? Object.keys(properties)[0] ?? `${at + 1}`)
}

/** Objects inside are not spelled out twice: their section has them. */
function linked(shape: Shape, path: string): Shape {
  const properties = Object.fromEntries(
    Object.entries(shape.properties ?? {}).map(([name, field]) => {
      const at = path === '' ? name : `${path}.${name}`
      const hasSection = nested(field, at, new Map()).length > 0
      return [name, hasSection ? shortened(field) : field]
    }),
  )
  return { ...shape, properties }
}

function shortened({ description, default: value, items, additionalProperties, anyOf, oneOf }: Shape): Shape {
  const kept = {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  }
  const variants = anyOf ?? oneOf
  if (variants) {
    const plain = variants.filter(variant => !variant.properties && !variant.items?.properties)
    return { ...kept, anyOf: [...plain, { type: 'object, see below' }] }
  }
  if (items) return { ...kept, type: 'list of objects, see below' }
  if (typeof additionalProperties === 'object') return { ...kept, type: 'map, see below' }
  return { ...kept, type: 'object, see below' }
}
