import { z } from 'zod'
import {
  formatPath,
  type JsonPath,
  type JsonSource,
  type Problem,
  shapeProblems,
  sortProblems,
  valueAt,
} from '../kit/index.ts'
import { reservedKeys } from './reserved-keys.ts'
import { codon, type HankFile, loop, rootFields } from './schema.ts'
import { checkSentinelConfig } from './sentinel-config.ts'
import { unknownField } from './unknown-fields.ts'

export type CheckedShape =
  | { readonly hank: HankFile; readonly problems: readonly Problem[] }
  | { readonly hank?: undefined; readonly problems: readonly Problem[] }

/**
 * The first step of a load: does the file have the shape of a hank? Items and the codons of loops are checked one by one,
 * so that each message is about one place. The hank is what was written, without defaults: rules and warnings ask
 * whether a field is there.
 */
export function checkShape(source: JsonSource): CheckedShape {
  const { value } = source
  const items = itemsAt(value, ['hank'])
  const found = [...check(source, rootShape, []), ...items.flatMap(path => checkItem(source, path))]
  const problems = sortProblems([...found, ...reservedKeys(source, found)])
  if (problems.some(({ severity }) => severity === 'error')) return { problems }
  return { hank: value as HankFile, problems }
}

const rootShape = z.strictObject({ ...rootFields, hank: z.array(z.unknown()).min(1) })
const loopShape = z.strictObject({ ...loop.shape, codons: z.array(z.unknown()).min(1) })

function check(source: JsonSource, schema: z.ZodType, base: JsonPath): readonly Problem[] {
  const parsed = schema.safeParse(valueAt(source.value, base))
  if (parsed.success) return []
  return shapeProblems(parsed.error, source, {
    schema,
    base,
    unknownKey: (path, key, validKeys) => unknownField(source.value, path, { key, validKeys }),
  })
}

function checkItem(source: JsonSource, path: JsonPath): readonly Problem[] {
  const type = valueAt(source.value, [...path, 'type'])
  const kind = type === 'loop' || type === 'codon' ? type : looksLikeLoop(source, path) ? 'loop' : 'codon'
  const found = kind === 'loop' ? checkLoop(source, path) : checkCodon(source, path)
  if (type === kind || (type === undefined && kind === 'codon')) return found

  const where = formatPath([...path, 'type'])
  const message =
    type === undefined
      ? 'is missing; an item with codons needs "type": "loop"'
      : 'expected one of "codon", "loop"'
  const place = source.placeOf([...path, 'type'])
  return [{ severity: 'error', where, message, place }, ...found.filter(problem => problem.where !== where)]
}

function checkLoop(source: JsonSource, path: JsonPath): readonly Problem[] {
  const codons = itemsAt(source.value, [...path, 'codons'])
  return [
    ...check(source, loopShape, path),
    ...codons.flatMap(inner => {
      const nested = valueAt(source.value, [...inner, 'type']) === 'loop' || looksLikeLoop(source, inner)
      return nested ? [nestedLoop(source, inner)] : checkCodon(source, inner)
    }),
  ]
}

function nestedLoop(source: JsonSource, path: JsonPath): Problem {
  const message = 'loops cannot be nested: the codons of a loop must be plain codons'
  return { severity: 'error', where: formatPath(path), message, place: source.placeOf(path) }
}

function checkCodon(source: JsonSource, path: JsonPath): readonly Problem[] {
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

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
