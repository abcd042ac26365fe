import { type JsonPath, type JsonSource, type Problem, problemOf } from '../kit/index.ts'

/** Gives each problem that has no place yet the place of its `where` in the text. */
export function withPlaces<P extends Problem>(
  problems: readonly P[],
  source: Pick<JsonSource, 'spotOf'>,
): readonly P[] {
  return problems.map(problem => {
    if (problem.place) return problem
    const { place, end } = source.spotOf(pathOf(problem.where))
    return { ...problem, place, end }
  })
}

const mostAlike = 100

/** Enough of many alike warnings, and a word about the others. */
export function firstOf<P extends Problem>(warnings: readonly P[]): readonly P[] {
  const more = warnings.length - mostAlike
  if (more <= 0) return warnings
  const shown = warnings.slice(0, mostAlike)
  const last = shown.at(-1)
  return last ? [...shown, { ...last, message: `… and ${more} more of this kind` }] : []
}

const step = /\.?([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y

/** The way back from a `where`: `hank[0].env["a b"]`. Stops at what it cannot read. */
export function pathOf(where: string): JsonPath {
  const path: (string | number)[] = []
  step.lastIndex = 0
  for (let match = step.exec(where); match; match = step.exec(where)) {
    const [, key, index, quoted] = match
    if (index !== undefined) path.push(Number(index))
    else path.push(key ?? String(JSON.parse(quoted ?? '""')))
  }
  return path
}

/**
 * `__proto__` means something to the language itself. Objects with fixed fields refuse it as unknown, which is among the
 * `known` problems then; a map, such as `env`, would take it.
 */
export function reservedKeys(
  source: JsonSource,
  known: readonly Problem[],
): readonly Problem<'json/reserved'>[] {
  const found: JsonPath[] = []
  const visit = (value: unknown, path: JsonPath): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const whole = [...path, Array.isArray(value) ? Number(key) : key]
      if (key === '__proto__') found.push(whole)
      else visit(inner, whole)
    }
  }
  visit(source.value, [])
  const places = new Set(known.map(({ place }) => `${place?.line}:${place?.column}`))
  return found
    .map(path => source.spotOf(path, 'key'))
    .filter(({ place }) => !places.has(`${place.line}:${place.column}`))
    .map(spot =>
      problemOf({ severity: 'error', code: 'json/reserved', message: '__proto__ is a reserved name' }, spot),
    )
}
