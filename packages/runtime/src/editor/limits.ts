import type { Forecast, ForecastRow } from '../budget/index.ts'
import type { EditedText } from './edited-text.ts'
import { fieldIn, type Span, spanOf } from './edited-text.ts'
import { flatOutline, outlineOf } from './outline.ts'

/** A few words that an editor shows behind a place. */
export interface Hint {
  readonly offset: number
  readonly text: string
}

/** What is known of a plan, part by part. */
export interface PlanFacts {
  readonly forecast: Forecast
  /** Ids of models in the order of the codons. */
  readonly modelOf: (codonId: string) => string | undefined
}

/**
 * Behind each id the effective limit and the model; behind `hank` the worst case. Nothing when the text has other parts than
 * the plan: that is one of an earlier text.
 */
export function hintsIn(text: EditedText, { forecast, modelOf }: PlanFacts): readonly Hint[] {
  const items = flatOutline(outlineOf(text))
  const [, ...rows] = forecast.rows
  if (items.length !== rows.length) return []
  const parts = items.flatMap((item, at) => {
    const words = [dollarLimit(rows[at]), item.kind === 'codon' ? modelOf(item.id) : undefined].filter(
      word => word !== undefined && word !== '',
    )
    return item.idSpan && words.length > 0 ? [{ offset: item.idSpan.end, text: words.join(' · ') }] : []
  })
  const key = fieldIn(text.root, 'hank')?.key
  const { dollars } = forecast
  const worst = dollars.kind === 'bounded' ? `at most ${money(dollars.amount)}` : 'no limit in dollars'
  return key ? [{ offset: spanOf(key).end, text: worst }, ...parts] : parts
}

function dollarLimit(row: ForecastRow | undefined): string | undefined {
  const limit = row?.limits.find(({ currency }) => currency === 'dollars')
  return limit && `≤ ${money(limit.most ?? limit.amount)}`
}

function money(amount: number): string {
  return `$${Number(amount.toFixed(4))}`
}

/** The part of a forecast that a place inside a budget belongs to, by the order of the file. */
export function limitsAt(
  text: EditedText,
  offset: number,
  { rows }: Forecast,
): { readonly row: ForecastRow; readonly span: Span } | undefined {
  const items = flatOutline(outlineOf(text))
  if (items.length !== rows.length - 1) return undefined
  const owners = [fieldIn(text.root, 'overrides')?.value, ...items.map(({ node }) => node)]
  for (const [at, owner] of owners.entries()) {
    const budget = fieldIn(owner, 'budget')
    const row = rows[at]
    if (!budget || !row) continue
    const span = { start: budget.key.offset, end: spanOf(budget.value).end }
    if (offset >= span.start && offset <= span.end) return { row, span }
  }
  return undefined
}
