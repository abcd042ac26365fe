export type Severity = 'error' | 'warning'

/** Line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Something a person should hear about their input; collected, not thrown. */
export interface Problem {
  readonly severity: Severity
  /** Such as `steps[2].file`, or '' for the input as a whole. */
  readonly where: string
  readonly message: string
  readonly place?: Place
}

export type Collector = ReturnType<typeof collector>

export function collector() {
  const problems: Problem[] = []
  const collect = (severity: Severity) => (where: string, message: string, place?: Place) => {
    problems.push({ severity, where, message, ...(place && { place }) })
  }
  return {
    error: collect('error'),
    warning: collect('warning'),
    add(more: Iterable<Problem>): void {
      for (const problem of more) problems.push(problem)
    },
    all: (): readonly Problem[] => [...problems],
  }
}

export function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === 'error')
}

export function warningsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === 'warning')
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

/** By place; equal places keep their order, and problems without one come last. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
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
