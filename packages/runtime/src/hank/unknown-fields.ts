import * as z from 'zod'
import {
  didYouMean,
  formatKey,
  formatPath,
  type JsonPath,
  type JsonSource,
  listOf,
  nearestNames,
  type Said,
  valueAt,
} from '../kit/index.ts'
import { type Home, movesOf } from './moved-fields.ts'
import { codon, loop, overrides, rootFields } from './schema.ts'
import { nestedForm } from './short-forms.ts'

/** What is written → what is probably meant . A dot leads into an object of the same place. */
const typos: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'appendSystemPromptFile|appendSystemPromptText': ['systemPromptFile', 'systemPromptText', 'systemPrompt'],
    'promptFile|promptText': ['prompt', 'prompts', 'promptFiles'],
    checkpointedFiles: ['trackedFiles', 'tracking', 'tracked', 'watchedFiles', 'fileTracking'],
    rigSetup: ['rig', 'setup', 'preSetup'],
    archiveOnSuccess: [
      'archiveRigs',
      'rigTeardown',
      'teardown',
      'archive',
      'cleanup',
      'archiveRig',
      'archiving',
      'archives',
    ],
    env: ['environment', 'envVars'],
    outputFiles: ['outputs', 'output'],
    continuationMode: ['continuation', 'mode'],
    'budget.maxDollars': ['costLimit', 'maxBudget', 'maxCost', 'maxDollars'],
    'budget.maxTimeSeconds': ['maxDuration', 'maxDurationSeconds', 'maxTimeSeconds', 'timeLimit'],
    'budget.maxOutputTokens': ['maxTokens', 'maxOutputTokens', 'tokenLimit'],
  }).flatMap(([meant, written]) => written.map(word => [word, meant.split('|')] as const)),
)

/**
 * The message for a field of a hank that does not exist at its place: the likely meaning of a known typo, else the nearest
 * names; where the field belongs when that is elsewhere; and all that is valid here. Whoever does what it says has a field
 * that is taken.
 */
export function unknownField(source: NamingSource, path: JsonPath, found: UnknownKey): Said {
  const { value: hank, isThere = () => true } = source
  const place = positionOf(hank, path)
  const valid = `Valid ${fieldsOf(place, path)}: ${found.validKeys.join(', ')}`
  const { advice, meant, names = [] } = adviceFor(hank, path, { place, found })
  const { key } = found
  const files = [valueAt(hank, [...path, key])].flat()
  // A text in the place of a file would only be the next problem.
  const isNoPrompt = files.some(file => typeof file !== 'string' || !isThere(file))
  const mayBe = (name: string) => !(isNoPrompt && promptFiles.has(name))
  const homes = names.filter(mayBe).flatMap(name => homesOf({ hank, path, key, place }, name))
  const message = `Unknown field ${formatKey(key)}.${advice} ${valid}`
  return { message, meant: meant.filter(mayBe), fixes: movesOf(source, { path, key }, homes) }
}

/** A hank, and which files beside it are there. */
export interface NamingSource extends JsonSource {
  readonly isThere?: (path: string) => boolean
}

const promptFiles: ReadonlySet<string> = new Set([
  'promptFile',
  'appendSystemPromptFile',
  'globalSystemPromptFile',
])

interface Advice {
  readonly advice: string
  readonly meant: readonly string[]
  /** What it is called where it belongs. */
  readonly names?: readonly string[]
}

interface Found {
  readonly place: Position
  readonly found: UnknownKey
}

function adviceFor(hank: unknown, path: JsonPath, { place, found }: Found): Advice {
  const nested = nestedForm(hank, path, found.key)
  if (nested !== undefined) return { advice: ` ${nested}`, meant: [] }
  if (place === 'root' && othersForHank.has(found.key)) return otherName(['hank'])
  const meant = typoAt(place, found.key)
  const names = meant ?? [found.key]
  const hint = homeOf(place, names, found.validKeys)
  if (meant) return { advice: `${didYouMean(meant)}${hint}`, meant: hint === '' ? meant : [], names }
  return hint === ''
    ? otherName(nearestNames(found.key, found.validKeys))
    : { advice: hint, meant: [], names }
}

function otherName(meant: readonly string[]): Advice {
  return { advice: didYouMean(meant), meant }
}

/** What people call the list of items who come from elsewhere. */
const othersForHank = new Set([
  'codons',
  'steps',
  'tasks',
  'stages',
  'nodes',
  'items',
  'jobs',
  'workflow',
  'pipeline',
])

export interface UnknownKey {
  readonly key: string
  /** What the schema knows at this place. */
  readonly validKeys: readonly string[]
}

type Position = 'root' | 'codon' | 'loop' | 'overrides' | 'codon-budget' | 'shared-budget' | 'nested'

function positionOf(hank: unknown, path: JsonPath): Position {
  const steps = path.map(step => (typeof step === 'number' ? '#' : String(step))).join('.')
  if (steps === '') return 'root'
  if (steps === 'overrides') return 'overrides'
  if (steps === 'overrides.budget') return 'shared-budget'
  if (steps === 'hank.#.codons.#') return 'codon'
  if (steps === 'hank.#.codons.#.budget') return 'codon-budget'
  const kind = isLoopAt(hank, path.slice(0, 2)) ? 'loop' : 'codon'
  if (steps === 'hank.#') return kind
  if (steps === 'hank.#.budget') return kind === 'loop' ? 'shared-budget' : 'codon-budget'
  return 'nested'
}

function isLoopAt(hank: unknown, path: JsonPath): boolean {
  return valueAt(hank, [...path, 'type']) === 'loop' || valueAt(hank, [...path, 'codons']) !== undefined
}

/** Inside a budget the words for its own fields count without the `budget.` in front; other nested objects have no typos. */
function typoAt(position: Position, key: string): readonly string[] | undefined {
  if (position === 'nested') return undefined
  const meant = typos.get(key)
  if (position !== 'codon-budget' && position !== 'shared-budget') return meant
  const [field] = (meant ?? []).filter(name => name.startsWith(budgetPrefix))
  const inside = field?.slice(budgetPrefix.length)
  return inside === undefined || inside === key ? undefined : [inside]
}

const budgetPrefix = 'budget.'

/** Where a field that is not valid here has its home, or '' when it is valid here or nowhere. */
function homeOf(position: Position, names: readonly string[], valid: readonly string[]): string {
  if (position === 'nested') return ''
  if (position === 'codon-budget' || position === 'shared-budget')
    return names.some(name => valid.includes(name)) ? '' : budgetHome(position, names)
  const all = (known: Fields) => names.every(name => takes(known, name))
  if (all(fieldsAt[position])) return ''
  if (position !== 'codon' && all(codon.shape)) return codonHome(position, names)
  if (position !== 'loop' && all(loop.shape)) return ' It is a loop field: move it into a loop.'
  if (position !== 'root' && all(rootFields)) return ' It is a root field: move it to the root of the file.'
  if (position !== 'overrides' && all(overrides.shape)) return ' It is a field of overrides: move it there.'
  return ''
}

type Fields = Readonly<Record<string, unknown>>

const fieldsAt = {
  root: rootFields,
  codon: codon.shape,
  loop: loop.shape,
  overrides: overrides.shape,
} as const satisfies Readonly<Record<string, Fields>>

/** Whether an object with these fields takes a name, of which a dot leads into an object: `budget.maxOutputTokens`. */
function takes(fields: Fields, name: string): boolean {
  return schemaOf(fields, name) !== undefined
}

function schemaOf(fields: Fields, name: string): z.ZodType | undefined {
  const [field = '', inner] = name.split('.')
  const schema = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (inner === undefined) return schema instanceof z.ZodType ? schema : undefined
  const object = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  return object instanceof z.ZodObject ? schemaOf(object.shape, inner) : undefined
}

interface Stray {
  readonly hank: unknown
  readonly path: JsonPath
  readonly key: string
  readonly place: Position
}

/** Every object that takes the field under a name, with the value that it has. */
function homesOf({ hank, path, key, place }: Stray, name: string): readonly Home[] {
  if (place === 'nested' || place === 'codon-budget' || place === 'shared-budget') return []
  const value = valueAt(hank, [...path, key])
  const fits = (known: Fields) => schemaOf(known, name)?.safeParse(value).success === true
  if (takes(fieldsAt[place], name)) {
    // It is valid here, one level deeper.
    const [around = ''] = name.split('.')
    return fits(fieldsAt[place]) ? [{ path, words: around, name }] : []
  }
  const below = place === 'codon' ? [] : codonsBelow(hank, place === 'loop' ? path : [])
  const retries = (home: JsonPath) => valueAt(hank, [...home, 'onFailure']) === 'retry'
  const codons = name === 'retryConfig' ? below.filter(retries) : below
  const outer = place === 'codon' && path.length === 4 ? path.slice(0, 2) : undefined
  return [
    ...(fits(codon.shape) ? codons.map(home => ({ path: home, words: labelOf(hank, home), name })) : []),
    ...(outer && fits(loop.shape) ? [{ path: outer, words: 'its loop', name }] : []),
    ...(fits(rootFields) ? [{ path: [], words: 'the root of the file', name }] : []),
    ...(fits(overrides.shape) ? [{ path: [], words: 'overrides', name: `overrides.${name}` }] : []),
  ]
}

/** Of a loop, or of the whole hank. */
function codonsBelow(hank: unknown, path: JsonPath): readonly JsonPath[] {
  const list = [...path, path.length === 0 ? 'hank' : 'codons']
  return listOf(valueAt(hank, list)).flatMap((_, at) => {
    const item = [...list, at]
    return isLoopAt(hank, item) ? codonsBelow(hank, item) : [item]
  })
}

function labelOf(hank: unknown, path: JsonPath): string {
  const id = valueAt(hank, [...path, 'id'])
  return typeof id === 'string' ? `codon ${formatKey(id)}` : `the codon ${formatPath(path)}`
}

function codonHome(position: Position, names: readonly string[]): string {
  const move = position === 'loop' ? 'move it into a codon of this loop' : 'move it into a codon'
  const global = position === 'root' ? globalTwins(names) : []
  const forAll = global.length > 0 ? `, or write ${global.join(' or ')} for all codons` : ''
  return ` ${names.length > 1 ? 'They are codon fields' : 'It is a codon field'}: ${move}${forAll}.`
}

/** The fields that say the same for all codons at once. */
function globalTwins(names: readonly string[]): readonly string[] {
  if (names.every(name => takes(overrides.shape, name))) return names.map(name => `overrides.${name}`)
  return names
    .map(name => name.replace(/^append/, 'global'))
    .filter(name => Object.hasOwn(rootFields, name) && !names.includes(name))
}

function budgetHome(position: 'codon-budget' | 'shared-budget', fields: readonly string[]): string {
  const other = position === 'codon-budget' ? overrides.shape.budget : codon.shape.budget
  if (!fields.every(field => Object.hasOwn(other.unwrap().shape, field))) return ''
  return position === 'codon-budget'
    ? ' It is allowed only in the budget of a loop or of overrides.'
    : ' It is allowed only in the budget of a codon.'
}

function fieldsOf(position: Position, path: JsonPath): string {
  if (position === 'root' || position === 'codon' || position === 'loop') return `${position} fields`
  const start = path.findLastIndex((step, at) => typeof step === 'number' && isItem(path, at))
  return `fields of ${formatPath(path.slice(start + 1))}`
}

function isItem(path: JsonPath, at: number): boolean {
  return path[at - 1] === 'hank' || path[at - 1] === 'codons'
}
