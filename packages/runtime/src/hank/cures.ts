import { type Fix, fieldsOf, type JsonPath, type Place, type Problem, valueAt } from '../kit/index.ts'
import { pathOf } from './places.ts'

/** What mends a problem: another value in the place of the one that it is about, or one more field of that object. */
export type Cure =
  | { readonly instead: string | number }
  | { readonly add: string; readonly value: string | boolean }

/** A problem with its place, and what mends it, as a fix. */
export function cured<P extends Problem>(problem: P, cure: Cure | undefined, whole: unknown): P {
  const { place, end } = problem
  if (!cure || !place || !end || problem.fixes) return problem
  const path = pathOf(problem.where)
  // What is missing has no place of its own: that of the object around it is told.
  const about = valueAt(whole, path) ?? valueAt(whole, path.slice(0, -1))
  return { ...problem, fixes: [fixOf(cure, { place, end }, about)] }
}

function fixOf(cure: Cure, { place, end }: { place: Place; end: Place }, about: unknown): Fix {
  if ('instead' in cure) {
    const text = JSON.stringify(cure.instead)
    return { title: `Write ${text}`, edits: [{ start: place, end, text }] }
  }
  const field = `${JSON.stringify(cure.add)}: ${JSON.stringify(cure.value)}`
  // Right after the brace with which the object begins.
  const start = { ...place, column: place.column + 1 }
  const isOnly = Object.keys(fieldsOf(about)).length === 0
  return { title: `Add ${field}`, edits: [{ start, end: start, text: isOnly ? field : ` ${field},` }] }
}

/** The field that is missing, where only one value can be meant or one is as good as any; undefined elsewhere. */
export function missingField({ code, where }: Problem, whole: unknown): Cure | undefined {
  if (code !== 'hank/missing-field') return undefined
  const path = pathOf(where)
  const key = path.at(-1)
  const around = fieldsOf(valueAt(whole, path.slice(0, -1)))
  if (key === 'type' && 'codons' in around) return { add: 'type', value: 'loop' }
  if (key === 'continuationMode') return { add: key, value: modeAt(whole, path.slice(0, -1)) }
  if (key === 'name' && typeof around['id'] === 'string' && around['id'] !== '')
    return { add: key, value: around['id'] }
  return undefined
}

/** In a loop that goes on until the context is full no codon begins a conversation of its own. */
function modeAt(whole: unknown, path: JsonPath): string {
  const until = valueAt(whole, [...path.slice(0, 2), 'terminateOn', 'type'])
  return path.length === 4 && until === 'contextExceeded' ? 'continue-previous' : 'fresh'
}
