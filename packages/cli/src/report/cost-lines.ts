import type { ClassCost, CodonCost, CostReport, SentinelCost } from '@weave/runtime'
import { dollarsText, harmlessLine, tokensText } from 'weave-client'
import { columns } from '../columns.ts'

/**
 * What an execution cost, in lines for people: codons, then sentinels, then the prices it was counted with. Text that comes
 * from a hank is made harmless for a terminal.
 */
export function costLines(report: CostReport): readonly string[] {
  const { codons, sentinels, totals, costUnknown } = report
  if (codons.length === 0) return ['Nothing was spent: no codon has started.']
  return [
    ...columns([codonHeads, ...codons.map(codonCells)], ''),
    ...(sentinels.length > 0 ? ['', ...columns([sentinelHeads, ...sentinels.map(sentinelCells)], '')] : []),
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
