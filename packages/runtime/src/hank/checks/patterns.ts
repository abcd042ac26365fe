import type { ProblemCode } from '@weave/protocol'
import { type Problem, problemOf, refusePatterns } from '../../kit/index.ts'
import { codonsOf, loopsOf, type Subject } from '../codons.ts'
import { firstOf } from '../places.ts'
import type { HankFile } from '../schema.ts'
import type { Report } from './check.ts'

const mostInList = 1_000
/** All patterns of a hank may come together in one matcher, which takes no more either. */
const mostWildcards = 40_000
const mostDistinct = 20_000

/**
 * The globs of a hank must be patterns, and few and short enough to be compiled in a moment. Patterns that can never
 * select anything get a warning.
 */
export function checkPatterns(hank: HankFile, report: Report): void {
  const lists = patternLists(hank)
  const distinct = new Set(lists.flatMap(({ patterns }) => patterns.slice(0, mostInList)))
  let isGood = true
  const error = (code: ProblemCode, where: string, message: string) => {
    report.error(code, where, message)
    isGood = false
  }
  for (const { patterns, where, label } of lists)
    if (patterns.length > mostInList)
      error('hank/size', where, `${label} holds more than ${mostInList} patterns`)
  if (distinct.size > mostDistinct)
    error('hank/size', 'hank', `the hank holds more than ${mostDistinct} different patterns`)
  if (wildcardsIn(distinct) > mostWildcards)
    error('pattern/costly', 'hank', `the patterns hold more than ${mostWildcards} wildcards`)
  if (!isGood) return

  const faults = new Map([...distinct].map(pattern => [pattern, faultOf(pattern)]))
  for (const list of lists) {
    for (const { where, about, said } of saidIn(list, faults)) {
      const code = said.startsWith(invalid) ? 'pattern/invalid' : 'pattern/costly'
      error(code, where, `${about} is ${said}`)
    }
  }
  if (!isGood) return
  const idle = new Map([...distinct].map(pattern => [pattern, neverMatches(pattern)]))
  const warnings = lists.flatMap(list => idleIn(list, idle))
  for (const { code, where, message } of firstOf(warnings)) report.warning(code, where, message)
}

type Sayings = ReadonlyMap<string, string | undefined>

/** The patterns of a list of which something is said. */
function saidIn({ patterns, where, label }: PatternList, sayings: Sayings) {
  return patterns.flatMap((pattern, index) => {
    const said = sayings.get(pattern)
    if (said === undefined) return []
    return [{ where: `${where}[${index}]`, about: `${label}: the pattern ${clipped(pattern)}`, said }]
  })
}

function idleIn(list: PatternList, reasons: Sayings): readonly Problem<ProblemCode>[] {
  const warning = (code: ProblemCode, where: string, message: string) =>
    problemOf({ severity: 'warning', code, message }, where)
  const idle = saidIn(list, reasons).map(({ where, about, said }) =>
    warning('pattern/idle', where, `${about} never matches: ${said}`),
  )
  if (!onlyExcludes(list.patterns)) return idle
  const message = `${list.label} selects nothing, because each of its patterns takes away. Begin with one that selects, such as "**".`
  return [warning('pattern/excludes', list.where, message), ...idle]
}

interface PatternList {
  readonly patterns: readonly string[]
  readonly where: string
  readonly label: string
}

function patternLists(hank: HankFile): readonly PatternList[] {
  const list = (placed: Subject, field: string, patterns: readonly string[] = []): PatternList => ({
    patterns,
    where: `${placed.where}.${field}`,
    label: `${placed.label}: ${field.replace(/\[\d+\]\./, ' ')}`,
  })
  return [
    ...loopsOf(hank).map(placed => list(placed, 'archiveOnSuccess', placed.loop.archiveOnSuccess)),
    ...codonsOf(hank).flatMap(placed => [
      list(placed, 'checkpointedFiles', placed.codon.checkpointedFiles),
      list(placed, 'archiveOnSuccess', placed.codon.archiveOnSuccess),
      ...(placed.codon.outputFiles ?? []).map(({ copy }, index) =>
        list(placed, `outputFiles[${index}].copy`, copy),
      ),
    ]),
  ]
}

function wildcardsIn(patterns: Iterable<string>): number {
  let count = 0
  for (const pattern of patterns) count += pattern.match(/[*?[]/g)?.length ?? 0
  return count
}

function faultOf(pattern: string): string | undefined {
  const refusal = refusePatterns([pattern])
  switch (refusal?.reason) {
    case undefined:
      return undefined
    case 'too-long':
      return refusal?.message
    case 'too-many-globstars':
    case 'too-many-wildcards':
      return `too costly: it has ${refusal?.message}`
    case 'too-many-patterns':
    case 'invalid':
      return invalid
  }
}

const invalid = 'not a valid pattern'

function clipped(pattern: string): string {
  return pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern
}

/**
 * Why a pattern over the workspace cannot select anything, and what to write instead; undefined for one that can. Says
 * nothing about a leading `/`, which ties a pattern to the workspace, nor about files that may or may not be there.
 */
export function neverMatches(pattern: string): string | undefined {
  const path = pattern.startsWith('!') ? pattern.slice(1) : pattern
  if (path.trim() === '') return 'it is blank. Remove it.'
  if (pattern.startsWith('#')) return 'it is a comment. Write \\# for a name that begins with #.'
  if (/<%[^<%]*%>/.test(path)) return `variables count only in prompts. ${fromWorkspace}`
  if (/^[A-Za-z]:[\\/]/.test(path)) return `it begins with a drive. ${fromWorkspace}`
  // Before other characters it is an escape that somebody may need.
  if (/\\[\w.-]/.test(path)) return 'a \\ is no separator. Write / between directories.'
  if (/(?<![\\[])\{/.test(path))
    return 'braces offer no choice, they are compared as they are. Write a pattern for each name, and [{] for a brace.'
  const parts = path.split('/')
  if (parts.includes('..')) return `it leaves the workspace. ${fromWorkspace}`
  if (parts.includes('.') || parts.slice(1, -1).includes('')) {
    const plain = parts.filter(
      (part, at) => part !== '.' && (part !== '' || at === 0 || at === parts.length - 1),
    )
    return `names are compared as they are. Write ${plain.join('/') || '**'}.`
  }
  return undefined
}

const fromWorkspace = 'Write the path from the agent workspace on.'

/** Whether a list of patterns only takes away, so that nothing is left to select. */
export function onlyExcludes(patterns: readonly string[]): boolean {
  return patterns.length > 0 && patterns.every(pattern => pattern.startsWith('!'))
}
