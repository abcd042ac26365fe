import type { z } from 'zod'
import { formatKey, formatPath, type JsonPath, shown, valueAt } from './json-fields.ts'
import { didYouMean, nearestNames } from './nearest-names.ts'
import { type Fix, type Problem, problemOf, type Spot, sortProblems, withFixes } from './problems.ts'
import { fixedValues, keysOf, membersOf, type Schema, schemasAt, takesValue } from './shape-walk.ts'
import { expectation, foundWords, oneOf } from './shape-words.ts'

/** What was checked; a value without a text has no places. */
interface ShapeSource {
  readonly value: unknown
  readonly spotOf?: (path: JsonPath, at?: 'key' | 'value') => Required<Spot>
}

/** What can be wrong with a shape; with a family in front, the code of a problem. */
export type ShapeFault = 'unknown-field' | 'missing-field' | 'type' | 'range' | 'enum' | 'value' | 'too-many'

export interface ShapeOptions<Family extends string> {
  /** What the codes of the problems begin with. */
  readonly family: Family
  /** With it messages name the whole range, and unknown keys the valid ones. */
  readonly schema?: Schema
  /** Where the checked value lies, when it is only a part of the source. */
  readonly base?: JsonPath
  /** A sentence to add about the value at a path, such as what to write instead. */
  readonly advice?: (path: JsonPath) => string | undefined
  /** Undefined for the usual message. */
  readonly unknownKey?: (path: JsonPath, key: string, validKeys: readonly string[]) => Said | undefined
}

/** What is said about a wrong key or value. */
export interface Said {
  readonly message: string
  /** What may have been meant, and may stand in its place. */
  readonly meant: readonly string[]
  /** What else mends it. */
  readonly fixes?: readonly Fix[]
}

type Issue = z.core.$ZodIssue

/** More than a person reads; a file can be wrong in a million places. */
const mostProblems = 200

/**
 * The errors of a schema as sentences: what was expected, found, and perhaps meant. At least one, each once, in the order of
 * the document. An unknown key has its own place and the `where` of its object; a missing field the other way round.
 */
export function shapeProblems<Family extends string>(
  error: z.core.$ZodError,
  source: ShapeSource,
  options: ShapeOptions<Family>,
): readonly Problem<`${Family}/${ShapeFault}`>[] {
  const { findings, left } = firstFindings(error.issues)
  const told = findings.map(finding => problemIn(finding, source, options))
  const byText = new Map(told.map(problem => [`${problem.where}\n${problem.message}`, problem]))
  const problems = sortProblems([...byText.values()])
  if (left === 0) return problems
  const code = `${options.family}/too-many` as const
  return [...problems, problemOf({ severity: 'error', code, message: `… and ${left} more problems` })]
}

interface Finding {
  readonly path: JsonPath
  readonly issue: Issue
  readonly unknownKey?: string
}

/** As many as are told, and how many more there are. Of a union, the alternative most likely meant speaks for all. */
function firstFindings(issues: readonly Issue[]) {
  const findings: Finding[] = []
  let left = 0
  const add = (found: readonly Finding[], count: number) => {
    const taken = found.slice(0, mostProblems - findings.length)
    findings.push(...taken)
    left += count - taken.length
  }
  const visit = (issue: Issue, before: JsonPath): void => {
    const path = [...before, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.slice(0, mostProblems)
      const found = keys.map(unknownKey => ({ path, issue, unknownKey }))
      add(found, issue.keys.length)
      return
    }
    const likely = issue.code === 'invalid_union' ? likelyMeant(issue.errors) : undefined
    if (likely) for (const inner of likely) visit(inner, path)
    else add([{ path, issue }], 1)
  }
  for (const issue of issues) visit(issue, [])
  return { findings, left }
}

function likelyMeant(alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const rightKind = alternatives.filter(issues => !issues.some(isWrongKind))
  return rightKind.toSorted((left, right) => weight(left) - weight(right))[0]
}

function isWrongKind(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
}

/** A wrong fixed word (`type: 'loop'`) says that the alternative was not the one; after that, fewer faults are likelier. */
function weight(issues: readonly Issue[]): number {
  const wrongWords = issues.filter(issue => issue.code === 'invalid_value' && issue.values.length === 1)
  return wrongWords.length * 1_000 + issues.length
}

function problemIn<Family extends string>(
  { path, issue, unknownKey }: Finding,
  source: ShapeSource,
  options: ShapeOptions<Family>,
): Problem<`${Family}/${ShapeFault}`> {
  const { base = [], schema, family } = options
  const at = [...base, ...path]
  const value = valueAt(source.value, at)
  const schemas = schema ? schemasAt(schema, valueAt(source.value, base), path) : []
  const spotOf = (of: JsonPath, part?: 'key'): Spot => ({
    ...source.spotOf?.(of, part),
    where: formatPath(at),
  })
  const problem = (fault: ShapeFault, message: string, spot = spotOf(at)) =>
    problemOf({ severity: 'error', code: `${family}/${fault}` as const, message }, spot)
  if (unknownKey !== undefined) {
    const valid = [...new Set(schemas.flatMap(each => keysOf(each, value)))]
    const said = options.unknownKey?.(at, unknownKey, valid) ?? unknownKeyWords(unknownKey, valid)
    const spot = spotOf([...at, unknownKey], 'key')
    const isFree = (name: string) =>
      valueAt(value, [name]) === undefined &&
      schemas.some(each =>
        schemasAt(each, value, [name]).some(field => takesValue(field, valueAt(value, [unknownKey]))),
      )
    const told = problem('unknown-field', said.message, spot)
    const renamed = withFixes(told, said.meant.filter(isFree), name => `Rename it to ${name}`)
    return said.fixes?.length ? { ...renamed, fixes: [...(renamed.fixes ?? []), ...said.fixes] } : renamed
  }
  if (issue.code === 'invalid_key') return problem('value', invalidKeyMessage(path), spotOf(at, 'key'))
  if (issue.code === 'custom') return problem('value', issue.message)
  const { message, meant } = mismatch({ issue, value, schemas, advice: options.advice?.(at) })
  return withFixes(problem(faultOf(issue, value), message), meant, name => `Write ${shown(name)}`)
}

function faultOf(issue: Issue, value: unknown): ShapeFault {
  if (value === undefined) return 'missing-field'
  switch (issue.code) {
    case 'invalid_value':
      return 'enum'
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return 'range'
    case 'invalid_union':
      // The word that says which of several shapes is meant is none of those there are.
      return issue.errors.length === 0 ? 'enum' : 'type'
    case 'invalid_type':
      return 'type'
    default:
      return 'value'
  }
}

function invalidKeyMessage(path: JsonPath): string {
  const key = String(path.at(-1) ?? '')
  return `${key === '' ? 'an empty string' : shown(key)} is not a valid key here`
}

function unknownKeyWords(key: string, valid: readonly string[]): Said {
  const meant = nearestNames(key, valid)
  const list = valid.length > 0 ? ` Valid fields here: ${valid.join(', ')}` : ''
  return { message: `Unknown field ${formatKey(key)}.${didYouMean(meant)}${list}`, meant }
}

interface Mismatch {
  readonly issue: Issue
  readonly value: unknown
  readonly schemas: readonly Schema[]
  readonly advice: string | undefined
}

/** The sentence, and the words that may have been meant. */
function mismatch({ issue, value, schemas, advice }: Mismatch): Said {
  const words = schemas.length > 0 ? expectation(schemas) : wordsOf(issue)
  const fixed = schemas.flatMap(membersOf).flatMap(fixedValues)
  const names = fixed.filter(name => typeof name === 'string')
  const meant = typeof value === 'string' ? nearestNames(value, names, 1) : []
  const more = `${didYouMean(meant, shown)}${advice === undefined ? '' : ` ${advice}`}`
  const fault =
    value === undefined ? `is missing; expected ${words}` : `expected ${words}, found ${foundWords(value)}`
  return { message: more === '' ? fault : `${fault}.${more}`, meant }
}

/** Without a schema the issue has to speak for itself. */
function wordsOf(issue: Issue): string {
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
