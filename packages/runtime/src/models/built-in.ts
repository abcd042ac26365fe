import type { CatalogueFile, CatalogueRow } from './catalogue-schema.ts'
import type { Model, Prices, PriceTier } from './model.ts'
import file from './models.json' with { type: 'json' }

// A test holds the file against its schema; doing it at every start would cost more than all the rest here.
const { sources, models } = file as unknown as CatalogueFile

/**
 * The models that come with the program. This module holds the whole table: import it only with `import()`, where a
 * model is looked up, so that a command that needs no model does not pay for it.
 */
export const builtInModels: readonly Model[] = Object.entries(models).flatMap(([provider, groups]) =>
  Object.entries(groups).flatMap(([source, rows]) => {
    const group = { provider, source, date: dateOf(source) }
    return rows.map(row => modelOf(row, group))
  }),
)

type Cells = NonNullable<CatalogueRow[4]>
type Tier = NonNullable<CatalogueRow[5]>[number]

interface Group {
  readonly provider: string
  readonly source: string
  readonly date: string
}

// Cells by number and no spreads: this runs for every row, before anything is compiled, and is twice as fast so.
function modelOf(row: CatalogueRow, group: Group): Model {
  const model = {
    provider: group.provider,
    id: row[0],
    name: row[1],
    contextWindow: row[2],
    maxOutputTokens: row[3],
  }
  return row[4] ? Object.assign(model, { prices: pricesOf(row[4], row[5], group) }) : model
}

function pricesOf(cells: Cells, tiers: CatalogueRow[5], { source, date }: Group): Prices {
  const prices = {
    input: cells[0],
    output: cells[1],
    cacheRead: cells[2],
    cacheWrite: cells[3],
    source,
    date,
  }
  return tiers ? { ...prices, tiers: tiers.map(tierOf) } : prices
}

function tierOf([above, input, output, cacheRead, cacheWrite]: Tier): PriceTier {
  return { above, input, output, cacheRead, cacheWrite }
}

function dateOf(source: string): string {
  const date = sources[source]
  if (date === undefined) throw new Error(`models.json does not say the day of its source ${source}`)
  return date
}
