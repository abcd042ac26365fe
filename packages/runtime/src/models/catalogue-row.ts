import type { CatalogueRow } from './catalogue-schema.ts'

type Prices = NonNullable<CatalogueRow[4]>
type Tiers = NonNullable<CatalogueRow[5]>

/**
 * A row of the catalogue as it is written: its cells on one line, between `|`. A text is loaded several times faster than
 * the same cells in a list, and of more than a thousand rows a program looks at a few.
 */
export function rowText([
  id,
  name,
  contextWindow,
  maxOutputTokens,
  prices,
  tiers = [],
]: CatalogueRow): string {
  const higher = tiers.map(([above, ...rest]) => `${above}: ${rest.join(' ')}`).join('; ')
  const cells = [id, name, contextWindow, maxOutputTokens, prices?.join(' ') ?? unknown]
  return [...cells, ...(higher === '' ? [] : [higher])].join(between)
}

export function rowCells(text: string): CatalogueRow {
  const [id = '', name = '', contextWindow, maxOutputTokens, prices = unknown, tiers] = text.split(between)
  const row: CatalogueRow = [
    id,
    name,
    Number(contextWindow),
    Number(maxOutputTokens),
    prices === unknown ? null : (numbersIn(prices) as Prices),
  ]
  if (tiers !== undefined) row.push(tiers.split('; ').map(numbersIn) as Tiers)
  return row
}

/** Whether a row is that of this id. */
export function isRowOf(text: string, id: string): boolean {
  return text.startsWith(id) && text.startsWith(between, id.length)
}

const between = ' | '
const unknown = 'unknown'

function numbersIn(text: string): readonly number[] {
  return text.split(/:? /).map(Number)
}
