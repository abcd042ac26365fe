import { formatPath, type JsonPath, type JsonSource, type Problem } from '../kit/index.ts'

/**
 * `__proto__` means something to the language itself. Objects with fixed fields refuse it as unknown, which is among the
 * `known` problems then; a map, such as `env`, would take it.
 */
export function reservedKeys(source: JsonSource, known: readonly Problem[]): readonly Problem[] {
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
    .map(path => ({ where: formatPath(path), place: source.placeOf(path, 'key') }))
    .filter(({ place }) => !places.has(`${place.line}:${place.column}`))
    .map(problem => ({ severity: 'error', message: '__proto__ is a reserved name', ...problem }))
}
