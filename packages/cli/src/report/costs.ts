import type { ClassCost, CodonCost, CostReport, SentinelCost } from '@weave/runtime'
import { dollarsText, harmless, harmlessLine, tokensText } from 'weave-client'
import { columns } from '../terminal.ts'

/**
 * What an execution cost, in lines for people: codons, then sentinels, then the prices it was counted with. Text that comes
 * from a hank is made harmless for a terminal.
 */
export function costLines(report: CostReport): readonly string[] {
  const { codons, sentinels, totals, costUnknown } = report
  if (codons.length === 0) return ['Nothing was spent: no codon has started.']
  return [
    ...columns([codonHeads, ...codons.map(codonCells)], ''),
    ...(sentinels.length > 0
      ? ['', ...columns([sentinelHeads, ...sentinels.map(sentinelCells)], ''), healthCheckNote]
      : []),
    '',
    ...columns(
      [
        ['Codons', dollarsText(totals.codons, { unknown: codons.some(isUnknown) })],
        ['Sentinels', dollarsText(totals.sentinels, { unknown: sentinels.some(isUnknown) })],
        ['Total', dollarsText(totals.all, { unknown: costUnknown })],
      ],
      '',
    ),
    '',
    ...priceLines(codons),
  ]
}

const codonHeads = ['CODON', 'MODEL', 'ATTEMPTS', 'IN', 'OUT', 'CACHE WRITE', 'CACHE READ', 'COST']

function codonCells({ codonId, model, attempts, classes, cost, costUnknown }: CodonCost): readonly string[] {
  return [
    harmlessLine(codonId),
    harmlessLine(model),
    String(attempts),
    ...classes.map(({ tokens }) => tokensText(tokens)),
    dollarsText(cost, { unknown: costUnknown }),
  ]
}

const healthCheckNote = 'Of the first sentinel with a model a health check is one of the calls.'
const sentinelHeads = ['SENTINEL', 'CODON', 'CALLS', 'IN', 'OUT', 'COST']

function sentinelCells(sentinel: SentinelCost): readonly string[] {
  const { sentinelId, codonId, calls, tokens, cost, costUnknown } = sentinel
  return [
    harmlessLine(sentinelId),
    harmlessLine(codonId),
    String(calls),
    tokensText(tokens.input),
    tokensText(tokens.output),
    dollarsText(cost, { unknown: costUnknown }),
  ]
}

/** Each model once, with its prices for a million tokens and who says so. */
function priceLines(codons: readonly CodonCost[]): readonly string[] {
  const models = new Map(codons.map(codon => [`${codon.provider ?? ''}/${codon.model}`, codon]))
  return ['Prices for a million tokens', ...columns([...models.values()].map(priceCells))]
}

function priceCells({ model, classes, prices }: CodonCost): readonly string[] {
  const name = harmlessLine(model)
  if (!prices) return [name, 'not known']
  const { source, date, hasTiers } = prices
  const origin = `${source}${date === undefined ? '' : `, ${date}`}${hasTiers ? '; long requests cost more' : ''}`
  return [name, classes.map(priceWords).join(', '), harmlessLine(origin)]
}

const classWords = { input: 'in', output: 'out', cacheWrite: 'cache write', cacheRead: 'cache read' } as const

function priceWords({ class: name, price }: ClassCost): string {
  return `${classWords[name]} ${price === undefined ? '?' : `$${price}`}`
}

function isUnknown({ costUnknown }: { readonly costUnknown: boolean }): boolean {
  return costUnknown
}

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

/** Rows as a table for spreadsheets (RFC 4180), without a line end at the end. What is not known is empty. */
export function csvText(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return rows.map(row => row.map(cell).join(',')).join('\r\n')
}

/** A spreadsheet takes text that begins with one of these for a formula; an id of a downloaded hank must not be one. */
const formula = /^[=+\-@\t\r]/

function cell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = harmless(formula.test(value) ? `'${value}` : value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
