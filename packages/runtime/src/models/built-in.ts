import { isRowOf, rowCells } from './catalogue-row.ts'
import type { CatalogueFile, CatalogueRow } from './catalogue-schema.ts'
import type { Model, ModelIndex, Prices, PriceTier } from './model.ts'
import file from './models.json' with { type: 'json' }

// A test holds the file against its schema; doing it at every start would cost more than all the rest here.
const { sources, models } = file as unknown as CatalogueFile

/**
 * The models that come with the program, each made of its row when it is asked for. This module holds the whole table:
 * import it only with `import()`, where a model is looked up, so that a command that needs no model does not pay for it.
 */
export const builtIn: ModelIndex = {
  providers: Object.keys(models),
  find(provider, id) {
    for (const [source, rows] of groupsOf(provider)) {
      const row = rows.find(text => isRowOf(text, id))
      if (row !== undefined) return modelOf(row, { provider, source })
    }
    return undefined
  },
  of: provider =>
    groupsOf(provider).flatMap(([source, rows]) => rows.map(row => modelOf(row, { provider, source }))),
}

type Cells = NonNullable<CatalogueRow[4]>
type Tier = NonNullable<CatalogueRow[5]>[number]

interface Group {
  readonly provider: string
  readonly source: string
}

function groupsOf(provider: string): readonly (readonly [source: string, rows: readonly string[]])[] {
  return Object.entries((Object.hasOwn(models, provider) ? models[provider] : undefined) ?? {})
}

/** One row is one model, however often it is asked for; by provider, since two may have the same row. */
const made = new Map<string, Map<string, Model>>()

function modelOf(row: string, group: Group): Model {
  const { provider } = group
  const ofProvider = made.get(provider) ?? new Map<string, Model>()
  made.set(provider, ofProvider)
  const known = ofProvider.get(row)
  if (known) return known
  const [id, name, contextWindow, maxOutputTokens, cells, tiers] = rowCells(row)
  const prices = cells && { prices: pricesOf(cells, tiers, group) }
  const model = { provider, id, name, contextWindow, maxOutputTokens, ...prices }
  ofProvider.set(row, model)
  return model
}

function pricesOf(cells: Cells, tiers: CatalogueRow[5], { source }: Group): Prices {
  const [input, output, cacheRead, cacheWrite] = cells
  const prices = { input, output, cacheRead, cacheWrite, source, date: dateOf(source) }
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
