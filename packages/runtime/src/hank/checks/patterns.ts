import { type Problem, refusePatterns } from '../../kit/index.ts'
import { codonLabel, codonsOf, loopLabel, loopsOf } from '../codons.ts'
import { firstOf } from '../places.ts'
import type { HankFile } from '../schema.ts'

const mostInList = 1_000
/** All patterns of a hank may come together in one matcher, which takes no more either. */
const mostWildcards = 40_000
const mostDistinct = 20_000

/**
 * The globs of a hank must be patterns, and few and short enough to be compiled in a moment. Patterns that can never
 * select anything get a warning.
 */
export function checkPatterns(hank: HankFile): readonly Problem[] {
  const problems: Problem[] = []
  const error = (where: string, message: string) => problems.push({ severity: 'error', where, message })
  const lists = patternLists(hank)
  const distinct = new Set<string>()
  for (const { patterns, where, label } of lists) {
    if (patterns.length > mostInList) error(where, `${label} holds more than ${mostInList} patterns`)
    for (const pattern of patterns.slice(0, mostInList)) distinct.add(pattern)
  }
  if (distinct.size > mostDistinct)
    error('hank', `the hank holds more than ${mostDistinct} different patterns`)
  if (wildcardsIn(distinct) > mostWildcards)
    error('hank', `the patterns hold more than ${mostWildcards} wildcards`)
  if (problems.length > 0) return problems

  const faults = new Map([...distinct].map(pattern => [pattern, faultOf(pattern)]))
  for (const { patterns, where, label } of lists) {
    for (const [at, pattern] of patterns.entries()) {
      const fault = faults.get(pattern)
      if (fault !== undefined)
        error(`${where}[${at}]`, `${label}: the pattern ${clipped(pattern)} is ${fault}`)
    }
  }
  if (problems.length > 0) return problems
  const idle = new Map([...distinct].map(pattern => [pattern, neverMatches(pattern)]))
  return firstOf(lists.flatMap(list => idleIn(list, idle)))
}

function idleIn(
  { patterns, where, label }: PatternList,
  reasons: ReadonlyMap<string, string | undefined>,
): readonly Problem[] {
  const idle = patterns.flatMap((pattern, at): readonly Problem[] => {
    const why = reasons.get(pattern)
    if (why === undefined) return []
    const message = `${label}: the pattern ${clipped(pattern)} never matches: ${why}`
    return [{ severity: 'warning', where: `${where}[${at}]`, message }]
  })
  if (!onlyExcludes(patterns)) return idle
  const message = `${label} selects nothing, because each of its patterns takes away. Begin with one that selects, such as "**".`
  return [{ severity: 'warning', where, message }, ...idle]
}

interface PatternList {
  readonly patterns: readonly string[]
  readonly where: string
  readonly label: string
}

function patternLists(hank: HankFile): readonly PatternList[] {
  const lists: PatternList[] = []
  const add = (patterns: readonly string[] | undefined, where: string, label: string) => {
    if (patterns) lists.push({ patterns, where, label })
  }
  for (const placed of loopsOf(hank)) {
    const label = `${loopLabel(placed)}: archiveOnSuccess`
    add(placed.loop.archiveOnSuccess, `${placed.where}.archiveOnSuccess`, label)
  }
  for (const placed of codonsOf(hank)) {
    const { codon, where } = placed
    const label = codonLabel(placed)
    add(codon.checkpointedFiles, `${where}.checkpointedFiles`, `${label}: checkpointedFiles`)
    add(codon.archiveOnSuccess, `${where}.archiveOnSuccess`, `${label}: archiveOnSuccess`)
    for (const [at, { copy }] of (codon.outputFiles ?? []).entries()) {
      add(copy, `${where}.outputFiles[${at}].copy`, `${label}: outputFiles copy`)
    }
  }
  return lists
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
      return 'not a valid pattern'
  }
}

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
