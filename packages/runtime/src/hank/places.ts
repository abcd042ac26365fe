import type { JsonPath, JsonSource, Problem } from '../kit/index.ts'

/** Gives each problem that has no place yet the place of its `where` in the text. */
export function withPlaces(
  problems: readonly Problem[],
  source: Pick<JsonSource, 'placeOf'>,
): readonly Problem[] {
  return problems.map(problem =>
    problem.place ? problem : { ...problem, place: source.placeOf(pathOf(problem.where)) },
  )
}

const mostAlike = 100

/** Enough of many alike warnings, and a word about the others. */
export function firstOf(warnings: readonly Problem[]): readonly Problem[] {
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
