import { didYouMean, formatKey, formatPath, type JsonPath, nearestNames, valueAt } from '../kit/index.ts'
import { codon, loop, overrides, rootFields } from './schema.ts'
import { nestedForm } from './short-forms.ts'

/** What is written → what is probably meant (specification 7.3). A dot leads into an object of the same place. */
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
 * The message for a field of a hank that does not exist at its place: the likely meaning of a known typo, else the
 * nearest names and all valid ones; and a hint when the field exists, but elsewhere.
 */
export function unknownField(hank: unknown, path: JsonPath, found: UnknownKey): string {
  const place = positionOf(hank, path)
  const unknown = `Unknown field ${formatKey(found.key)}.`
  const nested = nestedForm(hank, path, found.key)
  if (nested !== undefined) return `${unknown} ${nested}`
  if (place === 'root' && othersForHank.has(found.key)) return `${unknown}${didYouMean(['hank'])}`
  const meant = typoAt(place, found.key)
  const hint = homeOf(place, meant ?? [found.key], found.validKeys)
  if (meant) return `${unknown}${didYouMean(meant)}${hint}`
  const near = hint === '' ? didYouMean(nearestNames(found.key, found.validKeys)) : ''
  return `${unknown}${near}${hint} Valid ${fieldsOf(place, path)}: ${found.validKeys.join(', ')}`
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
  const fields = names.map(name => name.split('.')[0] ?? name)
  if (position === 'nested' || fields.some(field => valid.includes(field))) return ''
  if (position === 'codon-budget' || position === 'shared-budget') return budgetHome(position, fields)
  const all = (known: object) => fields.every(field => Object.hasOwn(known, field))
  if (position !== 'codon' && all(codon.shape)) return codonHome(position, names, fields)
  if (position !== 'loop' && all(loop.shape)) return ' It is a loop field: move it into a loop.'
  if (position !== 'root' && all(rootFields)) return ' It is a root field: move it to the root of the file.'
  if (position !== 'overrides' && all(overrides.shape)) return ' It is a field of overrides: move it there.'
  return ''
}

function codonHome(position: Position, names: readonly string[], fields: readonly string[]): string {
  const move = position === 'loop' ? 'move it into a codon of this loop' : 'move it into a codon'
  const global = position === 'root' ? globalTwins(names, fields) : []
  const forAll = global.length > 0 ? `, or write ${global.join(' or ')} for all codons` : ''
  return ` ${names.length > 1 ? 'They are codon fields' : 'It is a codon field'}: ${move}${forAll}.`
}

/** The fields that say the same for all codons at once. */
function globalTwins(names: readonly string[], fields: readonly string[]): readonly string[] {
  if (fields.every(field => Object.hasOwn(overrides.shape, field)))
    return names.map(name => `overrides.${name}`)
  return fields
    .map(field => field.replace(/^append/, 'global'))
    .filter(field => Object.hasOwn(rootFields, field))
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
