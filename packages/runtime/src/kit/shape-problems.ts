import type { z } from 'zod'
import { formatKey, formatPath, type JsonPath, shown, valueAt } from './json-fields.ts'
import { didYouMean, nearestNames } from './nearest-names.ts'
import { type Place, type Problem, sortProblems } from './problems.ts'
import { expectation, fixedValues, foundWords, keysOf, membersOf, oneOf, schemasAt } from './shape-words.ts'

/** What was checked. `placeOf` is what a parsed JSON document offers; a value without a text has none. */
export interface ShapeSource {
  readonly value: unknown
  readonly placeOf?: (path: JsonPath, at?: 'key' | 'value') => Place
}

export interface ShapeOptions {
  /** The schema that found the errors. With it messages name the whole range, and unknown keys the valid ones. */
  readonly schema?: z.core.$ZodType
  /** Where the checked value lies in the source, when only a part of it was checked. */
  readonly base?: JsonPath
  /** A sentence to add about the wrong or missing value at a path of the source, such as what to write instead. */
  readonly advice?: (path: JsonPath) => string | undefined
  /** The message for a key that is not in the schema, or undefined for the usual one. */
  readonly unknownKey?: (path: JsonPath, key: string, validKeys: readonly string[]) => string | undefined
}

/** More than a person reads; a file can be wrong in a million places. */
const mostProblems = 200

/**
 * The errors of a schema as sentences about a document: what was expected, what was found, what may have been meant.
 *
 * Always errors, at least one, each once, in the order of the document, with their place when the source knows places.
 * The problem of an unknown key points at the key and its `where` is the object around it; that of a missing field
 * points at the object and its `where` is the field.
 */
export function shapeProblems(
  error: z.core.$ZodError,
  source: ShapeSource,
  options: ShapeOptions = {},
): readonly Problem[] {
  const context: Context = { source, options, base: options.base ?? [] }
  const { findings, left } = firstFindings(error.issues)
  const told = findings.map(finding => problemOf(finding, context))
  const problems = sortProblems([...new Map(told.map(problem => [keyOf(problem), problem])).values()])
  return left === 0
    ? problems
    : [...problems, { severity: 'error', where: '', message: `… and ${left} more problems` }]
}

function keyOf({ where, message }: Problem): string {
  return `${where}\n${message}`
}

interface Context {
  readonly source: ShapeSource
  readonly options: ShapeOptions
  readonly base: JsonPath
}

interface Finding {
  /** From the checked value on. */
  readonly path: JsonPath
  readonly issue: z.core.$ZodIssue
  readonly unknownKey?: string
}

/**
 * One for each thing wrong, as many as are told, and how many more there are. Looks into unions: the alternative that was
 * most likely meant speaks for all.
 */
function firstFindings(issues: readonly z.core.$ZodIssue[]): {
  readonly findings: readonly Finding[]
  readonly left: number
} {
  const findings: Finding[] = []
  let left = 0
  const add = (found: readonly Finding[], count: number) => {
    const taken = found.slice(0, mostProblems - findings.length)
    findings.push(...taken)
    left += count - taken.length
  }
  const visit = (issue: z.core.$ZodIssue, before: JsonPath): void => {
    const path = [...before, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.slice(0, mostProblems)
      add(
        keys.map(unknownKey => ({ path, issue, unknownKey })),
        issue.keys.length,
      )
      return
    }
    const isUnion = issue.code === 'invalid_union' && issue.errors.length > 0
    const likely = isUnion ? likelyMeant(issue.errors) : undefined
    if (likely) for (const inner of likely) visit(inner, path)
    else add([{ path, issue }], 1)
  }
  for (const issue of issues) visit(issue, [])
  return { findings, left }
}

function likelyMeant(
  alternatives: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const rightKind = alternatives.filter(issues => !issues.some(isWrongKind))
  const ranked = rightKind.toSorted((left, right) => weight(left) - weight(right))
  return ranked[0]
}

function isWrongKind(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
}

/** A wrong fixed word (`type: 'loop'`) says that the alternative was not the one; after that, fewer faults are likelier. */
function weight(issues: readonly z.core.$ZodIssue[]): number {
  const wrongWords = issues.filter(
    issue => issue.code === 'invalid_value' && issue.values.length === 1,
  ).length
  return wrongWords * 1_000 + issues.length
}

function problemOf(finding: Finding, context: Context): Problem {
  const { path, issue, unknownKey } = finding
  const at = [...context.base, ...path]
  const problem = (message: string, place: Place | undefined): Problem => ({
    severity: 'error',
    where: formatPath(at),
    message,
    ...(place && { place }),
  })
  const { placeOf } = context.source
  if (unknownKey !== undefined)
    return problem(unknownKeyMessage(path, unknownKey, context), placeOf?.([...at, unknownKey], 'key'))
  if (issue.code === 'invalid_key') return problem(invalidKeyMessage(path), placeOf?.(at, 'key'))
  return problem(issue.code === 'custom' ? issue.message : mismatch(finding, context), placeOf?.(at))
}

function invalidKeyMessage(path: JsonPath): string {
  const key = String(path.at(-1) ?? '')
  return `${key === '' ? 'an empty string' : shown(key)} is not a valid key here`
}

function mismatch(finding: Finding, context: Context): string {
  const at = [...context.base, ...finding.path]
  const value = valueAt(context.source.value, at)
  const { words, values } = expected(finding, context)
  const meant = typeof value === 'string' ? didYouMean(nearestNames(value, values, 1), shown) : ''
  const advice = context.options.advice?.(at)
  const more = `${meant}${advice === undefined ? '' : ` ${advice}`}`
  const fault =
    value === undefined ? `is missing; expected ${words}` : `expected ${words}, found ${foundWords(value)}`
  return more === '' ? fault : `${fault}.${more}`
}

interface Expected {
  readonly words: string
  /** The texts to choose from, if it is a choice. */
  readonly values: readonly string[]
}

function expected({ path, issue }: Finding, context: Context): Expected {
  const schemas = schemasOf(path, context)
  const values = schemas.flatMap(membersOf).flatMap(fixedValues)
  const words = schemas.length > 0 ? expectation(schemas) : wordsOf(issue)
  return { words, values: values.filter(value => typeof value === 'string') }
}

/** Without a schema the issue has to speak for itself. */
function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected
    case 'invalid_value':
      return oneOf(issue.values)
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.format
    default:
      return 'another value'
  }
}

function unknownKeyMessage(path: JsonPath, key: string, context: Context): string {
  const valid = validKeys(path, context)
  const own = context.options.unknownKey?.([...context.base, ...path], key, valid)
  if (own !== undefined) return own
  const hint = didYouMean(nearestNames(key, valid))
  const list = valid.length > 0 ? ` Valid fields here: ${valid.join(', ')}` : ''
  return `Unknown field ${formatKey(key)}.${hint}${list}`
}

function validKeys(path: JsonPath, context: Context): readonly string[] {
  const value = valueAt(context.source.value, [...context.base, ...path])
  return [...new Set(schemasOf(path, context).flatMap(schema => keysOf(schema, value)))]
}

function schemasOf(path: JsonPath, { source, options, base }: Context): readonly z.core.$ZodType[] {
  return options.schema ? schemasAt(options.schema, valueAt(source.value, base), path) : []
}
