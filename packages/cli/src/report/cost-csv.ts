import type { CodonCost, CostReport, SentinelCost } from '@weave/runtime'
import { csvText } from './csv-text.ts'

/**
 * What an execution cost as a table for spreadsheets: for each codon a line per class of tokens and one with its
 * recorded cost, then the sentinels. What is not known is empty, never zero; sums are the reader's.
 */
export function costCsv({ codons, sentinels }: CostReport): string {
  const rows = [...codons.flatMap(codonRows), ...sentinels.map(sentinelRow)]
  return csvText([heads, ...rows])
}

const heads = [
  'codon',
  'sentinel',
  'model',
  'attempts',
  'class',
  'tokens',
  'dollars_per_million',
  'dollars_at_price',
  'cost',
  'cost_known',
  'price_source',
  'price_date',
] as const

type Row = readonly (string | number | undefined)[]

function codonRows(codon: CodonCost): readonly Row[] {
  const { codonId, model, attempts, classes, cost, costUnknown, prices } = codon
  const origin = [prices?.source, prices?.date]
  const begin = [codonId, undefined, model, attempts]
  return [
    ...classes.map(({ class: name, tokens, price, dollars }) => [
      ...begin,
      name,
      tokens,
      price,
      dollars,
      undefined,
      undefined,
      ...origin,
    ]),
    [...begin, 'all', undefined, undefined, undefined, ...recorded(cost, costUnknown), ...origin],
  ]
}

function sentinelRow({ codonId, sentinelId, tokens, cost, costUnknown }: SentinelCost): Row {
  const counted = tokens.input + tokens.output
  const nothing = [undefined, undefined]
  return [
    codonId,
    sentinelId,
    ...nothing,
    'all',
    counted,
    ...nothing,
    ...recorded(cost, costUnknown),
    ...nothing,
  ]
}

/** A cost that is not known at all stays empty; one that is known in part is marked. */
function recorded(cost: number, costUnknown: boolean): readonly [number | undefined, string] {
  if (!costUnknown) return [cost, 'yes']
  return cost > 0 ? [cost, 'in part'] : [undefined, 'no']
}
