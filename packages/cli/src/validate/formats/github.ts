import { harmless } from 'weave-client'
import { plural } from '../../terminal.ts'
import { type FoundProblem, problemLine, type Verdict } from './verdict.ts'

/** GitHub shows no more of each kind in one step and drops the others without a word. */
const mostAnnotations = 10

/**
 * Problems as workflow commands, which GitHub shows beside the lines of a change: errors, then warnings. Of more than it
 * shows, the last one says how many there are besides, and the rest follows as plain lines. `elsewhere`: where all are.
 */
export function githubLines(verdicts: readonly Verdict[], elsewhere = 'in the log'): readonly string[] {
  const problems = verdicts.flatMap(verdict => verdict.problems).filter(({ isKnown }) => !isKnown)
  return (['error', 'warning'] as const).flatMap(severity => {
    const all = problems.filter(problem => problem.severity === severity)
    const more = all.length - mostAnnotations
    const shown = all.slice(0, mostAnnotations).map((problem, at) => {
      const isLast = at === mostAnnotations - 1 && more > 0
      return annotation(problem, isLast ? ` (and ${plural(more, `more ${severity}`)} ${elsewhere})` : '')
    })
    return [...shown, ...all.slice(mostAnnotations).map(problem => inertLine(harmless(problemLine(problem))))]
  })
}

function annotation(
  { severity, code, where, message, file, place, end }: FoundProblem,
  more: string,
): string {
  const properties = [
    ['file', file],
    ...(place ? [['line', String(place.line)] as const, ...columns(place, end)] : []),
    ['title', `weave ${code}`],
  ]
  const list = properties
    .map(([name = '', value = '']) => `${name}=${escapeProperty(harmless(value))}`)
    .join(',')
  const text = `${where === '' ? '' : `${where}: `}${message}${more}`
  return `::${severity} ${list}::${escapeData(harmless(text))}`
}

type Place = NonNullable<FoundProblem['place']>

/** GitHub wants columns only of what begins and ends on one line, and draws longer ones at their last line. */
function columns(place: Place, end: Place | undefined): readonly (readonly [string, string])[] {
  const start = ['col', String(place.column)] as const
  if (end?.line !== place.line) return [start]
  // The last column is one that is meant, not the one after it.
  const last = Math.max(place.column, end.column - 1)
  return [start, ['endLine', String(end.line)], ['endColumn', String(last)]]
}

/** As GitHub's own toolkit escapes what follows the second `::`. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** The same for a value among the properties. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/**
 * A line that is no command, whoever wrote what is in it: GitHub obeys `::word::` at the beginning of a line, and the older
 * `##[word]` anywhere in one.
 */
export function inertLine(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1: ').replaceAll('##[', '## [')
}
