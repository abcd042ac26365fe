export type Severity = 'error' | 'warning'

/** Line and column count from 1; a column is a UTF-16 code unit, so an emoji takes two. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** What a problem is about, and where that is written. */
export interface Spot {
  /** Such as `steps[2].file`, or '' for the input as a whole. */
  readonly where: string
  readonly place?: Place
  /** The place after its last character. */
  readonly end?: Place
}

/** A piece of text to put in the place of another. */
export interface Edit {
  readonly start: Place
  readonly end: Place
  readonly text: string
}

/** A mechanical cure: whoever applies all its edits has done what the message says. */
export interface Fix {
  readonly title: string
  readonly edits: readonly Edit[]
}

/** Something a person should hear about their input; collected, not thrown. */
export interface Problem<Code extends string = string> extends Spot {
  readonly severity: Severity
  /** The rule that it breaks, as programs know it: `family/rule`. */
  readonly code: Code
  readonly message: string
  readonly fixes?: readonly Fix[]
}

export type Collector<Code extends string> = ReturnType<typeof collector<Code>>

export function collector<Code extends string>() {
  const problems: Problem<Code>[] = []
  const collect = (severity: Severity) => (code: Code, about: Spot | string, message: string) => {
    problems.push(problemOf({ severity, code, message }, about))
  }
  return {
    error: collect('error'),
    warning: collect('warning'),
    add(more: Iterable<Problem<Code>>): void {
      for (const problem of more) problems.push(problem)
    },
    all: (): readonly Problem<Code>[] => [...problems],
  }
}

/** One problem by itself; `about` may be no more than a `where`. */
export function problemOf<Code extends string>(
  said: Pick<Problem<Code>, 'severity' | 'code' | 'message'>,
  about: Spot | string = '',
): Problem<Code> {
  const { where, place, end }: Spot = typeof about === 'string' ? { where: about } : about
  return {
    severity: said.severity,
    code: said.code,
    where,
    message: said.message,
    ...(place && { place }),
    ...(end && { end }),
  }
}

/** One fix for each word that may stand, as JSON, in the place of what a problem is about. */
export function withFixes<P extends Problem>(
  problem: P,
  words: readonly string[],
  title: (word: string) => string,
): P {
  const { place: start, end } = problem
  if (!start || !end || words.length === 0) return problem
  const fixes = words.map(word => ({
    title: title(word),
    edits: [{ start, end, text: JSON.stringify(word) }],
  }))
  return { ...problem, fixes }
}

export function errorsOf<P extends Problem>(problems: readonly P[]): readonly P[] {
  return problems.filter(({ severity }) => severity === 'error')
}

export function warningsOf<P extends Problem>(problems: readonly P[]): readonly P[] {
  return problems.filter(({ severity }) => severity === 'warning')
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

/** By place; equal places keep their order, and problems without one come last. */
export function sortProblems<P extends Problem>(problems: readonly P[]): readonly P[] {
  return [...problems].sort((left, right) => comparePlaces(left.place, right.place))
}

/** Always one line: `file:3:7: error: steps[2].file: message`. */
export function formatProblem({ place, severity, where, message }: Problem): string {
  const start = place ? `${place.file}:${place.line}:${place.column}: ` : ''
  const path = where === '' ? '' : `${where}: `
  return onOneLine(`${start}${severity}: ${path}${message}`)
}

function comparePlaces(left: Place | undefined, right: Place | undefined): number {
  if (!left || !right) return Number(!left) - Number(!right)
  if (left.file !== right.file) return left.file < right.file ? -1 : 1
  return left.line - right.line || left.column - right.column
}

function onOneLine(text: string): string {
  return text.replace(/[\n\v\f\r\u0085\u2028\u2029]+\s*/g, ' ').trimEnd()
}
