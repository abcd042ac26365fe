import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { builtIn } from '../../src/models/built-in.ts'
import { isRowOf, rowCells, rowText } from '../../src/models/catalogue-row.ts'
import { catalogueFile, catalogueRow, columns } from '../../src/models/catalogue-schema.ts'
import { allModels, fullName, type Model, type Prices, type TokenPrices } from '../../src/models/model.ts'
import file from '../../src/models/models.json' with { type: 'json' }
import { providerNames } from '../../src/models/providers.ts'

const builtInModels = allModels(builtIn)

describe('the catalogue', () => {
  it('has the shape that its schema says', () => {
    expect(catalogueFile.safeParse(file).error).toBeUndefined()
    expect(file.columns).toEqual(columns)
  })

  it('has rows whose cells are as its schema says, and are written in one way', () => {
    const rows = Object.values<Readonly<Record<string, readonly string[]>>>(file.models).flatMap(groups =>
      Object.values(groups).flat(),
    )
    expect(rows.length).toBeGreaterThan(1_000)
    for (const row of rows) {
      const cells = rowCells(row)
      expect(catalogueRow.safeParse(cells).error, row).toBeUndefined()
      expect(rowText(cells)).toBe(row)
      expect([
        isRowOf(row, cells[0]),
        isRowOf(row, cells[0].slice(0, -1)),
        isRowOf(row, `${cells[0]} `),
      ]).toEqual([true, false, false])
    }
  })

  it('names every provider of the table and no other', () => {
    expect(Object.keys(file.models)).toEqual(providerNames)
  })

  verifies(
    ['d8a/catalogue-fields'],
    'the catalogue gives each model id, provider, window, four prices with day and source',
    () => {
      for (const model of builtInModels) {
        expect(model.id, fullName(model)).toMatch(/^\S+$/)
        expect(providerNames, fullName(model)).toContain(model.provider)
        expect(model.contextWindow, fullName(model)).toBeGreaterThan(0)
        if (model.prices) expectComplete(model, model.prices)
      }
      const priced = builtInModels.filter(({ prices }) => prices !== undefined)
      expect(priced.length / builtInModels.length).toBeGreaterThan(0.95)
    },
  )

  it('lists no model twice', () => {
    const names = builtInModels.map(fullName)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has no price of nothing but for ids that say so', () => {
    const free = builtInModels.filter(({ prices }) => prices && prices.input === 0 && prices.output === 0)
    expect(free.filter(({ id }) => !id.endsWith(':free')).map(fullName)).toEqual([])
    expect(free.length).toBeGreaterThan(0)
  })

  it('never prices a cached token at nothing where input costs something', () => {
    const odd = builtInModels.filter(({ prices }) =>
      [prices, ...(prices?.tiers ?? [])].some(
        row => row && row.input > 0 && !(row.cacheRead > 0 && row.cacheWrite > 0),
      ),
    )
    expect(odd.map(fullName)).toEqual([])
  })

  it('orders the tiers of a price by their thresholds', () => {
    for (const model of builtInModels) {
      const thresholds = model.prices?.tiers?.map(({ above }) => above) ?? []
      expect(thresholds, fullName(model)).toEqual(thresholds.toSorted((left, right) => left - right))
    }
  })

  it.each([
    ['anthropic/claude-sonnet-5-5', 1_000_000, { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
    ['anthropic/claude-opus-5-5', 1_000_000, { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }],
    [
      'anthropic/claude-haiku-5-5',
      1_000_000,
      { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
    ],
    ['anthropic/claude-sonnet-4-5', 200_000, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
    [
      'anthropic/claude-3-sonnet-20240229',
      200_000,
      { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    ],
    ['openai/gpt-5', 400_000, { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 }],
    ['google/gemini-2.5-pro', 1_048_576, { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 }],
    ['xai/grok-code-fast-1', 256_000, { input: 0.2, output: 1.5, cacheRead: 0.02, cacheWrite: 0.2 }],
  ])('says what was reviewed of %s', (name, contextWindow, prices) => {
    expect(builtInModels.find(model => fullName(model) === name)).toMatchObject({ contextWindow, prices })
  })
})

function expectComplete(model: Model, prices: Prices): void {
  for (const row of [prices, ...(prices.tiers ?? [])]) expectPrices(model, row)
  expect(prices.source, fullName(model)).not.toBe('')
  expect(prices.date, fullName(model)).toMatch(/^\d{4}-\d{2}-\d{2}$/)
}

function expectPrices(model: Model, { input, output, cacheRead, cacheWrite }: TokenPrices): void {
  for (const price of [input, output, cacheRead, cacheWrite]) {
    expect(Number.isFinite(price) && price >= 0 && price < 10_000, fullName(model)).toBe(true)
  }
}
