import type { ProblemCode } from '@weave/protocol'
import * as z from 'zod'
import {
  isObject,
  type JsonPath,
  type JsonSource,
  type Problem,
  problemOf,
  shapeProblems,
  sortProblems,
  valueAt,
} from '../kit/index.ts'
import { reservedKeys } from './places.ts'
import { mostKeys } from './read.ts'
import { codon, loop, rootFields } from './schema.ts'
import { checkSentinelConfig } from './sentinel-config.ts'
import { fullForm } from './short-forms.ts'
import { type NamingSource, unknownField } from './unknown-fields.ts'

/**
 * What is wrong with the shape of a hank, for people; nothing when it is right. Items and the codons of loops are checked
 * one by one, so that each message is about one place. Brings the schema along: see `shape.ts`.
 */
export function shapeFaults(source: NamingSource): readonly Coded[] {
  const crowded = crowdedObject(source.value)
  if (crowded) return [problemAt(source, crowded, ['hank/size', `an object has more than ${mostKeys} keys`])]
  const found = [...check(source, rootShape, []), ...checkEach(source, ['hank'], checkItem)]
  return sortProblems([...found, ...reservedKeys(source, found)])
}

/** More than anyone reads; a file can be wrong in a million places. */
const mostProblems = 1_000
const mostUnknown = 200

const rootShape = z.strictObject({ ...rootFields, hank: z.array(z.unknown()).min(1) })
const loopShape = z.strictObject({ ...loop.shape, codons: z.array(z.unknown()).min(1) })

type Coded = Problem<ProblemCode>
type CheckPart = (source: NamingSource, path: JsonPath) => readonly Coded[]

function checkEach(source: NamingSource, list: JsonPath, checkOne: CheckPart): readonly Coded[] {
  const found: Coded[] = []
  for (const path of itemsAt(source.value, list)) {
    if (found.length >= mostProblems) {
      const message = `there are more than ${mostProblems} problems; the rest of the list is not checked`
      return [...found, problemAt(source, path, ['hank/too-many', message])]
    }
    for (const problem of checkOne(source, path)) found.push(problem)
  }
  return found
}

function check(source: NamingSource, schema: z.ZodType, base: JsonPath): readonly Coded[] {
  const parsed = schema.safeParse(valueAt(source.value, base))
  if (parsed.success) return []
  let unknown = 0
  const problems = shapeProblems(parsed.error, source, {
    family: 'hank',
    schema,
    base,
    advice: path => fullForm(source.value, path),
    unknownKey: (path, key, validKeys) =>
      // Beyond that number they are counted, not shown.
      unknown++ < mostUnknown ? unknownField(source, path, { key, validKeys }) : uncounted,
  })
  return problems.map(problem =>
    problem.place ? problem : problemAt(source, base, [problem.code, problem.message]),
  )
}

const uncounted = { message: '', meant: [] }

function problemAt(
  source: JsonSource,
  path: JsonPath,
  [code, message]: readonly [ProblemCode, string],
): Coded {
  return problemOf({ severity: 'error', code, message }, source.spotOf(path))
}

function checkItem(source: NamingSource, path: JsonPath): readonly Coded[] {
  const type = valueAt(source.value, [...path, 'type'])
  const kind = type === 'loop' || type === 'codon' ? type : looksLikeLoop(source, path) ? 'loop' : 'codon'
  const found = kind === 'loop' ? checkLoop(source, path) : checkCodon(source, path)
  if (type === kind || (type === undefined && kind === 'codon')) return found

  const wrong = problemAt(
    source,
    [...path, 'type'],
    type === undefined
      ? ['hank/missing-field', 'is missing; an item with codons needs "type": "loop"']
      : ['hank/enum', `expected one of "codon", "loop", found ${JSON.stringify(type).slice(0, 60)}`],
  )
  return [wrong, ...found.filter(({ where }) => where !== wrong.where)]
}

function checkLoop(source: NamingSource, path: JsonPath): readonly Coded[] {
  return [
    ...check(source, loopShape, path),
    ...checkEach(source, [...path, 'codons'], (_, inner) => {
      const nested = valueAt(source.value, [...inner, 'type']) === 'loop' || looksLikeLoop(source, inner)
      return nested ? [problemAt(source, inner, ['hank/loop', nestedLoop])] : checkCodon(source, inner)
    }),
  ]
}

const nestedLoop = 'loops cannot be nested: the codons of a loop must be plain codons'

function checkCodon(source: NamingSource, path: JsonPath): readonly Coded[] {
  const inline = itemsAt(source.value, [...path, 'sentinels'])
    .map(attachment => [...attachment, 'sentinelConfig'])
    .filter(config => isObject(valueAt(source.value, config)))
  return [
    ...check(source, codon, path),
    ...inline.flatMap(config => checkSentinelConfig(source, config).problems),
  ]
}

function looksLikeLoop(source: JsonSource, path: JsonPath): boolean {
  return ['codons', 'terminateOn'].some(key => valueAt(source.value, [...path, key]) !== undefined)
}

function itemsAt(value: unknown, path: JsonPath): readonly JsonPath[] {
  const items = valueAt(value, path)
  return Array.isArray(items) ? items.map((_, at) => [...path, at]) : []
}

/** The way to an object with so many keys that to check each would take too long. */
function crowdedObject(value: unknown): JsonPath | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (!isList && entries.length > mostKeys) return []
  for (const [key, inner] of entries) {
    const below = crowdedObject(inner)
    if (below) return [isList ? Number(key) : key, ...below]
  }
  return undefined
}
