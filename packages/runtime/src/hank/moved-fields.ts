import {
  type Edit,
  type Fix,
  fieldsOf,
  formatPath,
  isObject,
  type JsonPath,
  type JsonSource,
  valueAt,
} from '../kit/index.ts'

/** An object that takes a field, and the way to it in words: `codon "draft"`, `overrides`. */
export interface Home {
  readonly path: JsonPath
  readonly words: string
  /** What the field is called there; a dot leads into an object: `budget.maxDollars`. */
  readonly name: string
}

/** A field where it is not valid. */
export interface StrayField {
  /** Of the object that it is in. */
  readonly path: JsonPath
  readonly key: string
}

/** More to choose from is no help. */
const mostHomes = 5

/** One fix for each home that has room: the field goes from where it is to there, with its value. */
export function movesOf(source: JsonSource, stray: StrayField, homes: readonly Home[]): readonly Fix[] {
  // Of a key that is written twice one would stay behind.
  if (source.warnings.length > 0) return []
  const fixes: Fix[] = []
  for (const home of homes) {
    const edits = editsFor(source, stray, home)
    if (edits) fixes.push({ title: `Move it into ${home.words}`, edits })
    if (fixes.length === mostHomes) break
  }
  return fixes
}

function editsFor(source: JsonSource, stray: StrayField, home: Home): readonly Edit[] | undefined {
  const own = [...stray.path, stray.key]
  const added = additionTo(source, home, valueAt(source.value, own))
  if (!added) return undefined
  if (added.around !== formatPath(stray.path)) return [added.edit, removal(source, stray)]
  // Into an object that takes its place.
  return [{ start: source.placeOf(own, 'key'), end: source.spotOf(own).end, text: added.field }]
}

/** With the comma that parts it from its neighbour. */
function removal(source: JsonSource, { path, key }: StrayField): Edit {
  const fields = Object.keys(fieldsOf(valueAt(source.value, path)))
    .map(name => ({
      name,
      start: source.placeOf([...path, name], 'key'),
      end: source.spotOf([...path, name]).end,
    }))
    .sort((left, right) => left.start.line - right.start.line || left.start.column - right.start.column)
  const at = fields.findIndex(({ name }) => name === key)
  const [before, own, next] = [fields[at - 1], fields[at], fields[at + 1]]
  const start = own?.start ?? source.placeOf(path)
  if (next) return { start, end: next.start, text: '' }
  return { start: before?.end ?? start, end: own?.end ?? start, text: '' }
}

interface Addition {
  /** The way to the object that gets it. */
  readonly around: string
  readonly field: string
  readonly edit: Edit
}

/** Undefined when it is there already, or when there is nothing that could take it. */
function additionTo(source: JsonSource, { path, name }: Home, value: unknown): Addition | undefined {
  const [first = '', ...inner] = name.split('.')
  const around = valueAt(source.value, path)
  if (!isObject(around)) return undefined
  if (Object.hasOwn(around, first)) {
    const below = { path: [...path, first], words: '', name: inner.join('.') }
    return inner.length === 0 ? undefined : additionTo(source, below, value)
  }
  const whole = inner.reduceRight<unknown>((nested, step) => ({ [step]: nested }), value)
  const field = `${JSON.stringify(first)}: ${JSON.stringify(whole)}`
  const brace = source.placeOf(path)
  const start = { ...brace, column: brace.column + 1 }
  const text = Object.keys(around).length === 0 ? field : ` ${field},`
  return { around: formatPath(path), field, edit: { start, end: start, text } }
}
